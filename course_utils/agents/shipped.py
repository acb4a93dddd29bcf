"""The agents that come with the course."""

from course_utils.agents.search import SearchAgent
from course_utils.exercise import using


class ShippedAgent(SearchAgent):
    """Plays by the course's own functions, whatever a learner's are."""

    def _search(self, state):
        with using({}):
            return super()._search(state)
