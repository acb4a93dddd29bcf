"""Read a learner's answer: find its cell, collect the cells that it depends on, and run it alone.

The check in the kernel, `make check`, `make grade`, the record, `travel` and `update` all use this package.
"""
