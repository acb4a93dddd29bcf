"""One file for each experiment, called as its result is: what is asked, what is varied, what is measured.

`lab/experiment.py` runs them.
"""
