"""The child process of ``corollary examine``: the user's code runs here, within limits.

The parent starts it, hands over what to do as JSON on the command line, and reads one JSON object
a line from a pipe: what the subject is, each exam's findings as they come, or the sentence that
says why there was nothing to examine. Limits of time and memory guard against accidents; they are
no wall against malice.
"""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from corollary.core import Finding, Status
from corollary.errors import CorollaryError, InputError
from corollary.examination import Examination, examine_subject
from corollary.registry import Entry

START_UP = 60.0  # seconds for imports and for building the module, beyond the budget
MEMORY = 8 << 30  # bytes of address space beyond what torch itself takes


def examine_in_child(
    order: dict[str, Any], progress: Callable[[list[Finding]], None] | None = None
) -> Examination:
    """Examine what ``order`` names, in a process of its own.

    Whatever the process had found is kept if it dies, hangs or is interrupted.

    Args:
        order: ``target``, ``data``, ``loss``, ``lr``, ``batch_size``, ``budget``, ``only``,
            ``seed``, ``samples``, ``memory``.
        progress: Called with the findings of each exam.
    """
    reading, writing = os.pipe()
    words = [sys.executable, "-m", "corollary.examining", str(writing), json.dumps(order)]
    # A session of its own: Ctrl-C reaches the parent alone, which decides what is kept.
    child = subprocess.Popen(words, pass_fds=(writing,), stdout=sys.stderr, start_new_session=True)
    os.close(writing)
    heard = _Heard(order, progress)
    try:
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            why = _listen(pipe, heard, order["budget"] * 1.5 + START_UP)
    except KeyboardInterrupt:
        why = "interrupted"
    finally:
        _end(child)
    return heard.examination(why or _death(child.returncode))


class _Heard:
    """What the child has said so far."""

    def __init__(
        self, order: dict[str, Any], progress: Callable[[list[Finding]], None] | None
    ) -> None:
        self.order, self.progress = order, progress
        self.head: dict[str, Any] | None = None
        self.findings: list[Finding] = []
        self.complete = False

    def take(self, said: dict[str, Any]) -> None:
        if "error" in said:
            raise InputError(said["error"])
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
                "examination/cut_short",
                "The examination was cut short",
                status=Status.FAILED,
                meaning=f"{why}; what was finished before is kept".capitalize(),
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


def _end(child: "subprocess.Popen[bytes]") -> None:
    """Let the child end by itself for a moment, then end it and all it started."""
    try:
        child.wait(timeout=2)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        child.wait()


def _death(code: int) -> str:
    if code == -9:
        return "its process was killed, most likely for want of memory"
    if code < 0:
        return f"its process was ended by signal {-code}"
    return f"its process ended with exit code {code}"


def _main(pipe: int, order: dict[str, Any]) -> None:
    _limit_memory(order.get("memory"))

    def say(**what: Any) -> None:
        line = json.dumps(what, allow_nan=False).encode() + b"\n"
        while line:  # a pipe may take less than it is given
            line = line[os.write(pipe, line) :]

    def progress(entry: Entry, found: Any) -> None:
        say(findings=[f.to_json() for f in found])

    try:
        subject = _subject(order)
        from corollary.run import environment

        say(head={"environment": environment(), "subject": subject.describe()})
        examine_subject(
            subject, budget=order["budget"], only=order.get("only") or None, progress=progress
        )
        say(done=True)
    except CorollaryError as error:
        say(error=str(error))
    except MemoryError:
        say(error="there is not enough memory to build the module; see --memory")


def _subject(order: dict[str, Any]) -> Any:
    from corollary.core import Subject
    from corollary.target import load_data, load_object, load_target

    model, data = load_target(order["target"])
    if order.get("data"):
        data = load_data(order["data"], order["seed"])
    loss = order.get("loss") or None
    if loss and ":" in loss:
        loss = load_object(loss)
    keys = ("lr", "batch_size", "samples", "seed")
    about = {key: order[key] for key in keys if order.get(key) is not None}
    return Subject(model, data, loss=loss, **about)


def _limit_memory(limit: int | None) -> None:
    try:
        import resource
    except ImportError:  # no such limits on this system
        return
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = taken + (limit or MEMORY)
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    _main(int(sys.argv[1]), json.loads(sys.argv[2]))
