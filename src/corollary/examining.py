"""The child process of ``corollary examine``: the user's code runs here, within limits.

The parent starts it, hands over what to do as JSON on the command line, and reads one JSON object
a line from a pipe: what the subject is, each exam's findings as they come, or the sentence that
says why there was nothing to examine. One pass of one batch is tried before the exams begin, so
that a module that cannot be called with its data is told once and not by every exam. Limits of time
and memory guard against accidents; they are no wall against malice.
"""

import json
import math
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from corollary.core import Finding, Status, Subject
from corollary.errors import CorollaryError, InputError
from corollary.examination import CUT_SHORT, Examination, examine_subject
from corollary.intake import as_data
from corollary.readiness import take_fewer, try_a_pass
from corollary.registry import Entry
from corollary.run import environment
from corollary.target import load_data, load_object, load_target, load_weights, one_line

START_UP = 60.0  # seconds for imports and for building the module, beyond the budget
MEMORY = 8 << 30  # bytes of address space beyond what torch itself takes


def examine_in_child(
    order: dict[str, Any], progress: Callable[[list[Finding]], None] | None = None
) -> Examination:
    """Examine what ``order`` names, in a process of its own.

    Whatever the process had found is kept if it dies, hangs or is interrupted.

    Args:
        order: ``target``, ``weights``, ``data``, ``held_out``, ``loss``, ``lr``, ``batch_size``,
            ``budget``, ``only``, ``seed``, ``samples``, ``memory``.
        progress: Called with the findings of each exam.
    """
    reading, writing = os.pipe()
    words = [sys.executable, "-m", "corollary.examining", str(writing), json.dumps(order)]
    # A session of its own: Ctrl-C reaches the parent alone, which decides what is kept.
    # What it prints goes to stderr, for stdout may be ours for JSON; there is nobody to answer it.
    child = subprocess.Popen(
        words, pass_fds=(writing,), stdin=subprocess.DEVNULL, stdout=2, start_new_session=True
    )
    os.close(writing)
    heard, why = _Heard(order, progress), ""
    try:
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            why = _listen(pipe, heard, order["budget"] * 1.5 + START_UP)
    except KeyboardInterrupt:
        why = "interrupted"
    finally:
        _end(child, patience=0.0 if why else 2.0)
    return heard.examination(why or heard.why or _death(child.returncode))


class _Heard:
    """What the child has said so far."""

    def __init__(
        self, order: dict[str, Any], progress: Callable[[list[Finding]], None] | None
    ) -> None:
        self.order, self.progress = order, progress
        self.head: dict[str, Any] | None = None
        self.findings: list[Finding] = []
        self.complete = False
        self.why = ""  # what ended the child, in its own words

    def take(self, said: dict[str, Any]) -> None:
        if "error" in said and self.head is None:
            raise InputError(said["error"])
        self.why = said.get("error", self.why)
        if "head" in said:
            self.head = said["head"]
        if "findings" in said:
            found = [Finding.from_json(f) for f in said["findings"]]
            self.findings += found
            if self.progress:
                self.progress(found)
        self.complete = self.complete or "done" in said

    def examination(self, why: str) -> Examination:
        if self.head is None:
            raise InputError(f"{self.order['target']} was not examined: {why}")
        if not self.complete:
            cut = Finding(
                CUT_SHORT,
                "The examination was cut short",
                status=Status.FAILED,
                meaning=f"{why[:1].upper()}{why[1:]}; what was finished before is kept.",
            )
            self.findings.append(cut)
        return Examination(
            self.head["environment"],
            self.head["subject"],
            self.order["budget"],
            tuple(self.findings),
        )


def _listen(pipe: IO[bytes], heard: _Heard, seconds: float) -> str:
    """Take what the child says until it is silent for good; gives why, if that is not its end."""
    ends, rest = time.monotonic() + seconds, b""
    while True:
        left = ends - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            return f"it did not end within {seconds:.0f} s"
        chunk = pipe.read(1 << 16)
        if not chunk:
            return ""
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            heard.take(json.loads(line))


def _end(child: "subprocess.Popen[bytes]", patience: float) -> None:
    """Let the child end by itself for a moment, then end it and all it started."""
    try:
        child.wait(timeout=patience)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        pass
    try:
        os.killpg(child.pid, 9)  # its group is its own, and lives as long as anything in it
    except (ProcessLookupError, PermissionError):
        pass
    child.wait()


def _death(code: int) -> str:
    if code == -9:
        return "its process was killed, most likely for want of memory"
    if code < 0:
        return f"its process was ended by signal {-code}"
    return f"its process ended with exit code {code}"


def _main(pipe: int, order: dict[str, Any]) -> None:
    os.set_inheritable(pipe, False)  # what the user's code starts has no part in the talk
    _limit_memory(order.get("memory"))

    def say(**what: Any) -> None:
        line = json.dumps(what, allow_nan=False).encode() + b"\n"
        while line:  # a pipe may take less than it is given
            line = line[os.write(pipe, line) :]

    def progress(entry: Entry, found: Any) -> None:
        say(findings=[f.to_json() for f in found])

    try:
        subject = ready_subject(order)
        take_fewer(subject, order["budget"])
        say(head={"environment": environment(), "subject": subject.describe()})
        only = order.get("only") or None
        examine_subject(subject, budget=order["budget"], only=only, progress=progress)
        say(done=True)
    except BrokenPipeError:
        os._exit(1)  # nobody listens any more
    except CorollaryError as error:
        say(error=one_line(str(error)))
    except MemoryError:
        say(error="there is not enough memory to build the module and its data; see --memory")
    except (SystemExit, KeyboardInterrupt) as error:
        say(error=f"the code of {order['target']} raised {type(error).__name__}")
    except Exception as error:
        say(error=one_line(f"{order['target']} stopped with {type(error).__name__}: {error}"))


def _end_copies(subject: Subject, here: int) -> None:
    """A copy of this process that the user's code forks would examine, too: it ends instead."""

    def end_if_copy(*_: Any) -> None:
        if os.getpid() != here:
            os._exit(0)

    end_if_copy()
    subject.model.register_forward_hook(end_if_copy)


def ready_subject(order: dict[str, Any]) -> Subject:
    """What ``order`` names, after one batch has gone through it; this runs the user's code.

    Raises:
        CorollaryError: if there is nothing to examine, or it cannot be called.
    """
    here = os.getpid()
    subject = _subject(order)
    _end_copies(subject, here)
    try_a_pass(subject, order["budget"])
    return subject


def _subject(order: dict[str, Any]) -> Subject:
    model, data = load_target(order["target"])
    if order.get("weights"):
        load_weights(model, Path(order["weights"]))
    if order.get("data"):
        data = load_data(order["data"], order["seed"])
    loss = order.get("loss") or None
    if loss and ":" in loss:
        loss = load_object(name := loss)
        if not callable(loss):
            raise InputError(
                f"the loss '{name}' must be a function of (output, target), but it is a "
                f"{type(loss).__name__}"
            )
    if order.get("lr") is not None and not math.isfinite(order["lr"]):
        raise InputError(f"lr must be a positive number, but it is {order['lr']}")
    keys = ("lr", "batch_size", "samples", "seed")
    about = {key: order[key] for key in keys if order.get(key) is not None}
    if order.get("held_out"):
        about["held_out"] = as_data(load_data(order["held_out"], order["seed"]))
    try:
        return Subject(model, as_data(data), loss=loss, **about)
    except (CorollaryError, MemoryError):
        raise
    except Exception as error:  # a loader may break when it is walked through
        source = order.get("data") or f"the data of {order['target']}"
        raise InputError(
            one_line(f"{source} stopped with {type(error).__name__}: {error}")
        ) from None


def _limit_memory(limit: int | None) -> None:
    try:
        import resource

        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = taken + (limit or MEMORY)
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ImportError, OSError, ValueError):  # no such limits on this system
        return


if __name__ == "__main__":
    _main(int(sys.argv[1]), json.loads(sys.argv[2]))
