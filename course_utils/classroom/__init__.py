"""A class: notebooks out, notebooks in, fair marks and useful feedback back. `make assignment`, `make grade`."""
