"""Several machines: a scheduler, workers that play matches, and the director's view of them.

Dask carries jobs and results; the extra `cluster` installs it. A referee is a process of its own on
each worker, as it is without a cluster.
"""
