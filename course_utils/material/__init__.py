"""The course's notebooks: read from their sources, built, handed out, and merged with what is a learner's in them. Authors, learners and classes share it."""
