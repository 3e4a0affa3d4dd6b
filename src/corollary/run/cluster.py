"""Dask and Ray clusters for ``--cluster``: connect, or start a cluster on this machine."""

import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec

from corollary.errors import InputError, MissingExtraError, one_line


@contextmanager
def joined(where: str, jobs: int) -> Iterator[int]:
    """Within the block, joblib hands its work to a cluster; gives how many calls run at a time.

    Args:
        where: ``dask:ADDRESS`` or ``ray:ADDRESS`` for a running cluster, ``dask`` or ``ray`` for
            one of ``jobs`` workers on this machine, or nothing for plain processes.
        jobs: Workers of a cluster that is started here, or processes.

    Raises:
        InputError: if no cluster answers at the address, or the word is another one.
        MissingExtraError: without the package.
    """
    if not where:
        yield jobs
        return
    kind, _, address = where.partition(":")
    if kind not in KINDS:
        raise InputError(
            f"expected --cluster dask, dask:ADDRESS, ray or ray:ADDRESS, got '{where}'"
        )
    package, connected = KINDS[kind]
    if find_spec(package) is None:
        raise MissingExtraError(
            f"--cluster {kind} needs the package {package}, which is not installed: "
            f"pip install 'corollary[{kind}]'"
        )
    from joblib import parallel_config

    with connected(address, jobs) as cores, parallel_config(backend=kind):
        yield max(cores, 2)  # with one job, nothing would be handed out


@contextmanager
def _dask(address: str, jobs: int) -> Iterator[int]:
    from distributed import Client, LocalCluster

    here = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.ERROR}
    try:
        client = Client(address or LocalCluster(n_workers=jobs, **here))
    except (OSError, ValueError) as error:
        raise _silent("Dask scheduler", address, error) from None
    with client:
        yield sum(client.ncores().values())
        if not address:
            client.shutdown()


@contextmanager
def _ray(address: str, jobs: int) -> Iterator[int]:
    import ray
    from ray.util.joblib import register_ray

    logging.getLogger("ray").setLevel(logging.ERROR)
    where = {"address": address} if address else {"num_cpus": jobs, "include_dashboard": False}
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        if host:  # Ray itself tries for minutes
            socket.create_connection((host, int(port)), timeout=10).close()
        ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises it bare if its processes do not start in time
        raise _silent("Ray cluster", address, error) from None
    try:
        register_ray()
        yield int(ray.cluster_resources()["CPU"])
    finally:
        ray.shutdown()


def _silent(what: str, address: str, error: Exception) -> InputError:
    where = f"answers at '{address}'" if address else "started on this machine"
    return InputError(f"no {what} {where}: {one_line(str(error))}")


Connected = Callable[[str, int], AbstractContextManager[int]]
KINDS: dict[str, tuple[str, Connected]] = {"dask": ("distributed", _dask), "ray": ("ray", _ray)}
