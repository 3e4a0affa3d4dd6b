"""CPU seconds and peak memory of one call, in a process of its own."""

import json
import os
import time
from collections.abc import Callable
from typing import NamedTuple


class Cost(NamedTuple):
    """What one call took, and what it said."""

    seconds: float
    megabytes: float  # the most above what was there before; nan where Linux does not tell
    said: str = ""


def apart(run: Callable[[], object]) -> Cost:
    """Run once in a fork. What ``run`` returns is said in words (a string as it is).

    ``run`` may be a generator: what comes before its first ``yield`` is set-up, which counts for
    memory and not for time.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            said = json.dumps(_cost(run))
        except Exception as refusal:
            said = json.dumps((float("nan"), float("nan"), f"{type(refusal).__name__}: {refusal}"))
        with os.fdopen(write, "w") as pipe:
            pipe.write(said)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    if not told:
        return Cost(float("nan"), float("nan"), "killed: out of memory")
    return Cost(*json.loads(told))


def _cost(run: Callable[[], object]) -> Cost:
    linux = os.path.exists("/proc/self/clear_refs")
    if linux:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")  # the high-water mark starts anew
    before = _status("VmRSS") if linux else 0
    start = time.process_time()
    out = run()
    if hasattr(out, "__next__"):
        next(out)
        start = time.process_time()
        out = next(out)
    seconds = time.process_time() - start
    most = (_status("VmHWM") - before) / 1024 if linux else float("nan")
    return Cost(seconds, most, out if isinstance(out, str) else "")


def _status(key: str) -> int:
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(key))
