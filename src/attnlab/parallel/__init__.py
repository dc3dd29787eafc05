"""Independent work on several cores, or on the machines of a cluster: `spread` calls one function on many tasks.

spreading   decides how many processes are worth their start, and hands out the tasks
local       processes of this machine, by joblib
cluster     the workers of a Dask cluster, by joblib
ahead       the next piece of work in a thread, while the caller uses the last
messages    what a process tells of its progress, and how it learns that it should stop

A task gives the same result in every process, so the number of processes changes no number.
"""

from attnlab.parallel.spreading import ONE_CORE, ONE_WORKER, Task, Workers, spread

__all__ = ["ONE_CORE", "ONE_WORKER", "Task", "Workers", "spread"]
