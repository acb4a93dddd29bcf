"""One file for each experiment, called as its result is: what is asked, what is varied, what is measured. `benchmarks/experiment.py` runs them."""
