"""Independent calls, handed by joblib to processes of this machine or to workers of a cluster.

Results do not depend on where they are computed: each call has its own random generator, takes the
caller's thread count, and has its process to itself while it runs. So a worker of a cluster with
several threads runs one call at a time.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from corollary.errors import CorollaryError
from corollary.run.workers import begin_worker

T = TypeVar("T")
ROUND = 4  # calls per worker that are handed out together if a backend returns no single results
# What the backends raise: loky, Dask, Ray.
DIED = {"TerminatedWorkerError", "KilledWorker", "RayActorError", "ActorDiedError"}
ALONE = threading.Lock()  # settings of torch and generators belong to the whole process


class WorkerDiedError(CorollaryError, RuntimeError):
    """The process of a worker died while it computed."""


def spread(work: Callable[..., T], rows: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[T]:
    """``work(*row)`` for each row, in the order in which the results arrive.

    The backend is the one of ``joblib.parallel_config``. Most backends return each result as soon
    as it is computed; those of Ray and multiprocessing return a list, so that a journal is written
    after every ``4 * jobs`` calls.

    Raises:
        WorkerDiedError: if a worker died, for example because it ran out of memory.
    """
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend = get_active_backend()[0]
    own = type(backend).__name__ == "LokyBackend"  # processes that this one starts
    about: dict[str, Any] = {"initializer": begin_worker, "initargs": (os.getpid(),)} if own else {}
    single = backend.supports_return_generator
    about["return_as"] = "generator_unordered" if single else "list"
    step = len(rows) if single else ROUND * jobs
    try:
        pool = Parallel(n_jobs=jobs, batch_size=1, **about)
        for start in range(0, len(rows), step or 1):
            yield from pool(delayed(work)(*row) for row in rows[start : start + step])
    except Exception as error:
        if not DIED & {kind.__name__ for kind in type(error).__mro__}:
            raise
        raise WorkerDiedError(
            "a worker process died; it may have run out of memory, so use fewer jobs"
        ) from error


def alone(threads: int, work: Callable[..., T], *row: Any) -> T:
    """``work(*row)`` with this number of threads, while nothing else runs in this process.

    Example:
        >>> alone(1, max, 2, 3)
        3
    """
    import torch

    with ALONE:
        torch.set_num_threads(threads)  # bits depend on the thread count
        return work(*row)
