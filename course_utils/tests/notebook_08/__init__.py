"""Checks of notebook 08: the training loop."""

from course_utils.tests.world import first_optimizer
