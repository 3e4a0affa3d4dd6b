"""A time limit that no library can swallow."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from corollary.errors import TimeLimitError

BAD_PLACES = ("importlib", "llvmlite", "numba")  # packages that must not be interrupted


class _TimeIsUpError(BaseException):
    """Raised by the alarm. Not an ``Exception``, which libraries catch, wrap or swallow."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`TimeLimitError` from the block after ``seconds``.

    The limit uses the process's alarm signal, so it works in the main thread of a process (the main
    process and joblib's workers); elsewhere, for example in worker threads of a cluster, there is
    no limit. A block inside another block suspends the outer limit.
    """
    usable = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )
    if not usable:
        yield
        return
    up, over = False, False

    def stop(_: int, frame: FrameType | None) -> None:
        nonlocal up
        if over:  # the block has just ended
            return
        later = _at_a_bad_place(frame)
        signal.setitimer(signal.ITIMER_REAL, 0.1 if later else 1.0)  # 1.0: if ours is swallowed
        if not later:
            up = True
            raise _TimeIsUpError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # ours, or what a library made of it
        if not up:
            raise
        raise TimeLimitError(f"the time limit of {seconds:g} s was reached") from error
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _at_a_bad_place(frame: FrameType | None) -> bool:
    """Whether an exception here would do lasting harm.

    Before a block begins and inside LLVM, an exception would end the process. Inside an import, it
    would leave half a module behind, and later runs would use that module.
    """
    if frame is not None and frame.f_globals.get("__name__") == "contextlib":
        return True
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] in BAD_PLACES:
            return True
        frame = frame.f_back
    return False
