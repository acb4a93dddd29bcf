"""The learner's side: where they stand, a newer version, answers that travel, JupyterLab as the course wants it."""
