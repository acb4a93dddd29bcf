"""Reading a learner's answer: which cell it is, what it needs from others, and how it runs alone. The check in the kernel, `make check`, `make grade`,
the record, `travel` and `update` all ask here.
"""
