"""Processes that end with their parent, even if it is killed, and how to stop them."""

import os
import subprocess
import threading
import time
from multiprocessing import current_process

PERIOD = 0.5  # seconds between two looks at the parent


def end_with_parent(parent: int) -> None:
    """End this process when its ``parent`` no longer exists.

    Checking for the parent from time to time works on every system and for every signal (a killed
    parent cannot send a message), whichever thread of the parent started this process.
    """
    if os.getppid() != parent:
        os._exit(1)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PERIOD)
        os._exit(1)

    threading.Thread(target=watch, name="end with parent", daemon=True).start()


def begin_worker(parent: int) -> None:
    """The first call of a joblib worker; workers of a cluster are left unchanged."""
    if os.getppid() == parent or current_process().name.startswith("Loky"):
        end_with_parent(parent)


def stop_process(child: "subprocess.Popen[bytes]", patience: float) -> None:
    """Wait a moment for the child to end, then end it and all processes it started."""
    try:
        child.wait(timeout=patience)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(child.pid, 9)  # its group is its own, and lives as long as anything in it
    except (ProcessLookupError, PermissionError):
        pass
    child.wait()


def cause_of_death(code: int) -> str:
    """The reason why a process ended without a message, from its exit code."""
    if code == -9:
        return "the process was killed, most likely because it ran out of memory"
    if code < 0:
        return f"the process was ended by signal {-code}"
    return f"the process ended with exit code {code}"
