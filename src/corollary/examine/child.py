"""The child process of ``corollary examine``: the user's code runs here, within limits.

The parent starts it, hands over what to do as JSON on the command line, and reads one JSON object
per line from a pipe: what the subject is, each exam's findings as they come, or the sentence that
says why there was nothing to examine. One batch is tried before the exams begin, so that a module
that cannot be called with its data is reported once and not by every exam. The limits on time and
memory guard against accidents, not against malicious code.
"""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import torch

from corollary.core import Finding, Status
from corollary.errors import CorollaryError, InputError, one_line
from corollary.examine.examination import Examination
from corollary.examine.examiner import examine_subject
from corollary.examine.prepare import load_subject
from corollary.examine.questions import CUT_SHORT
from corollary.examine.source import places_of
from corollary.registry import Entry
from corollary.run.results import environment
from corollary.run.workers import cause_of_death, end_with_parent, stop_process

LOOK = 1.0  # seconds between two looks at whether to stop
START_UP = 60.0  # seconds for imports and for building the module, beyond the budget
# -P: the folder may have a queue.py or a json.py, and nobody asked to run them.
WORDS = ("-P", "-m", "corollary.examine.child")
MEMORY = 8 << 30  # bytes of address space beyond what torch itself takes


def examine_in_child(
    order: dict[str, Any],
    progress: Callable[[list[Finding]], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Examination:
    """Examine what ``order`` names, in a process of its own.

    If the process dies, hangs or is interrupted, its findings so far are kept.

    Args:
        order: ``target``, ``weights``, ``data``, ``held_out``, ``loss``, ``lr``, ``batch_size``,
            ``budget``, ``only``, ``seed``, ``samples``, ``memory``; ``folder`` and ``threads`` for
            a worker that was started elsewhere.
        progress: Called with the findings of each exam.
        stopped: Called from time to time; the process is ended once it returns True.
    """
    reading, writing = os.pipe()
    order = order | {"parent": os.getpid()}
    words = [sys.executable, *WORDS, str(writing), json.dumps(order)]
    # A session of its own: Ctrl-C reaches the parent alone, which decides what is kept.
    # What it prints goes to stderr, for stdout may be ours for JSON; there is nobody to answer it.
    child = subprocess.Popen(
        words,
        pass_fds=(writing,),
        stdin=subprocess.DEVNULL,
        stdout=2,
        start_new_session=True,
        cwd=order.get("folder"),
    )
    os.close(writing)
    report, why = _Report(order, progress), ""
    try:
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            why = _listen(pipe, report, order["budget"] * 1.5 + START_UP, stopped)
    except KeyboardInterrupt:
        why = "interrupted"
    finally:
        with _uninterrupted():
            stop_process(child, patience=0.0 if why else 2.0)
    return report.examination(why or report.why or cause_of_death(child.returncode))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the block has ended, so that no process is left behind."""
    asked: list[Any] = []
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: asked.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


class _Report:
    """What the child has reported so far."""

    def __init__(
        self, order: dict[str, Any], progress: Callable[[list[Finding]], None] | None
    ) -> None:
        self.order, self.progress = order, progress
        self.head: dict[str, Any] | None = None
        self.findings: list[Finding] = []
        self.complete = False
        self.over = False  # whether nothing else will come
        self.why = ""  # what ended the child, in its own words
        self.source: dict[str, Any] = {}  # where in the user's files each layer is made

    def add(self, said: dict[str, Any]) -> None:
        self.over = "done" in said or "error" in said
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
        self.source = said.get("source", self.source)

    def examination(self, why: str) -> Examination:
        if self.head is None:
            raise InputError(f"{self.order['target']} was not examined: {why}")
        if not self.complete:
            cut = Finding(
                CUT_SHORT,
                "The examination was cut short",
                status=Status.FAILED,
                meaning=f"{why[:1].upper()}{why[1:]}. The results of finished exams are kept.",
            )
            self.findings.append(cut)
        return Examination(
            self.head["environment"],
            self.head["subject"] | ({"source": self.source} if self.source else {}),
            self.order["budget"],
            tuple(self.findings),
            self.order.get("effort") or "standard",
        )


def _listen(pipe: IO[bytes], report: _Report, seconds: float, stopped: Callable[[], bool]) -> str:
    """Read the messages of the child until it is done; returns the reason if it ended early.

    The child is done when it says so; threads or processes that the user's code started may still
    run.
    """
    ends, rest = time.monotonic() + seconds, b""
    while not report.over:
        left = ends - time.monotonic()
        if left <= 0:
            return f"the examination did not end within {seconds:.0f} s"
        if stopped():
            return "the examination was stopped"
        if not select.select([pipe], [], [], min(left, LOOK))[0]:
            continue
        chunk = pipe.read(1 << 16)
        if not chunk:
            return ""
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            try:
                report.add(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                if isinstance(error, CorollaryError):
                    raise
                return "the process of the examination sent something other than findings"
    return ""


def _main(pipe: int, order: dict[str, Any]) -> None:
    os.set_inheritable(pipe, False)  # what the user's code starts has no part in the talk
    end_with_parent(order["parent"])
    _limit_memory(order.get("memory"))
    if order.get("threads"):  # bits depend on the thread count
        torch.set_num_threads(order["threads"])

    def say(**what: Any) -> None:
        line = json.dumps(what, allow_nan=False).encode() + b"\n"
        while line:  # a pipe may take less than it is given
            line = line[os.write(pipe, line) :]

    def progress(entry: Entry, found: Any) -> None:
        say(findings=[f.to_json() for f in found])

    try:
        subject = load_subject(order)
        say(head={"environment": environment(), "subject": subject.describe()})
        only = order.get("only") or None
        how = {"effort": order.get("effort") or "standard", "budget": order["budget"]}
        done = examine_subject(subject, only=only, progress=progress, **how)
        wheres = {f.where for f in done.findings}
        say(done=True, source=places_of(subject.model, order["target"], sorted(wheres)))
    except BrokenPipeError:
        os._exit(1)  # nobody listens any more
    except CorollaryError as error:
        say(error=one_line(str(error)))
    except MemoryError:
        say(error="building the module and its data needs more memory than allowed; see --memory")
    except (SystemExit, KeyboardInterrupt) as error:
        say(error=f"the code of {order['target']} raised {type(error).__name__}")
    except Exception as error:
        say(error=one_line(f"{order['target']} stopped with {type(error).__name__}: {error}"))


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
