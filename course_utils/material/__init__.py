"""Read the notebooks' sources, build and hand out notebooks, and merge them with learners' work.

`authoring`, `learner` and `classroom` share this package.
"""
