"""Several machines: a scheduler, workers for the matches, and the director's view of them.

Dask carries jobs and results; the extra `cluster` installs it. A referee is a process of its own on
each worker, as without a cluster.
"""
