"""The tools: the fields of a tool are its arguments, and its docstring says what it does."""

import asyncio
import json
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from corollary.errors import InputError
from corollary.examine.effort import Effort
from corollary.examine.folder import (
    checked_data,
    checked_loss,
    checked_record,
    checked_target,
    checked_weights,
)
from corollary.examine.questions import chosen_exams
from corollary.lab.controls import text as as_word
from corollary.mcp.place import Answer, Place, Progress
from corollary.registry import find
from corollary.report.catalogue_facts import explained, listed, matching

if TYPE_CHECKING:
    from corollary.core import Finding
    from corollary.examine.examination import Examination

SEEDS = {"minimum": 0, "maximum": 2**31 - 1}
POSITIVE = {"exclusiveMinimum": 0}
COUNT = {"minimum": 1}
RECORD = 256 << 20  # bytes of the largest record that is read


class Tool(Protocol):
    """A call of an assistant, created from its arguments."""

    schema: ClassVar[str]  # of its output, a file of the package

    async def answer(self, place: Place, progress: Progress) -> Answer:
        """Do the work."""


@dataclass(frozen=True)
class List:
    """Find claims (theorems of deep learning as code) and exams (questions to a network).

    Without arguments, this lists the whole catalogue. To search, pass a word such as `dropout`.
    """

    text: str = ""  # only entries that contain this text
    area: str = ""  # only this area or question, as in kernels or trainability
    kind: str = ""  # only this kind: bound, identity, rate, limit, construction, ...
    cost: str = ""  # only this cost: instant, seconds, minutes or long
    erratum: bool = False  # only claims that correct the lecture notes

    schema: ClassVar[str] = "listing"

    async def answer(self, place: Place, progress: Progress) -> Answer:
        """The entries, one line each."""
        found = [listed(e) for e in matching(**vars(self))]
        lines = [f"{e.name}: {e.title} ({e.kind or 'exam'}, {e.cost})" for e in found]
        return Answer("\n".join(lines) or "no entry matches", {"entries": [vars(e) for e in found]})


@dataclass(frozen=True)
class Show:
    """Explain a claim or an exam: statement, hypotheses, options, source, erratum, last verdict."""

    name: str  # as `list` gives it; the part after the slash is enough where it is unique

    schema: ClassVar[str] = "entry"

    async def answer(self, place: Place, progress: Progress) -> Answer:
        """The entry as text."""
        told = asdict(explained(find(self.name)))
        return Answer(json.dumps(told, indent=1, ensure_ascii=False), told)


@dataclass(frozen=True)
class Check:
    """Check a claim on a fresh instance: test its hypotheses, then its prediction."""

    name: str  # as `list` gives it
    options: dict[str, Any] = field(default_factory=dict)  # parameters by name; `show` lists them
    seed: int = field(default=0, metadata=SEEDS)  # of all that is drawn
    figures: bool = False  # whether the numbers of the figures are wanted; they are long

    schema: ClassVar[str] = "results"

    async def answer(self, place: Place, progress: Progress) -> Answer:
        """The results file, and the verdict in one sentence."""
        entry = find(self.name)
        if entry.is_exam:
            raise InputError(
                f"{entry.name} is an exam; call the tool examine with only='{entry.name}'"
            )
        words = {name: _word(name, value) for name, value in self.options.items()}
        order = {"do": "check", "name": entry.name, "options": words, "seed": self.seed}
        said = await place.checkers.run(short=entry.cost == "instant", **order)
        if "error" in said:
            raise InputError(said["error"])
        results, view = said["results"], said["view"]
        if not self.figures:
            results["results"] = [result | {"figures": []} for result in results["results"]]
        return Answer(f"{entry.name} {view['verdict']}: {view['reason']}", results)


@dataclass(frozen=True)
class Examine:
    """Examine a PyTorch network in the folder: is it sound, does it train, generalise and resist?

    This runs the code that the target names, in a process with limits on time and memory. The
    report says what is wrong (with numbers and intervals), what confirms it, and which change to
    make.
    """

    target: str  # file.py:name, x.safetensors, x.onnx, x.pt2, a folder of transformers, or demo
    data: str = ""  # two_moons, digits, mnist, fashion_mnist, file.py:name, x.npz or x.csv
    held_out: str = ""  # data that the network was not trained on, given in the same way
    loss: str = ""  # cross_entropy, mse, bce or file.py:name; else chosen from the targets
    weights: str = ""  # weights to load: .safetensors, a state dict in .pt, or a folder
    lr: float | None = field(default=None, metadata=POSITIVE)  # the learning rate in use
    batch_size: int | None = field(default=None, metadata=COUNT)  # the batch size in use
    optimizer: str = ""  # the optimizer in use, as in adamw:lr=3e-4,weight_decay=0.1
    steps: int | None = field(default=None, metadata=COUNT)  # steps of the whole training
    epochs: int | None = field(default=None, metadata=COUNT)  # epochs of the whole training
    symmetry: str = ""  # what must leave answers as they are: permutation, translation, ...
    effort: Effort = Effort.quick  # how much work is done
    only: list[str] | None = None  # only these questions (soundness, ...) or exams
    samples: int = field(default=1024, metadata=COUNT)  # how many samples are used
    seed: int = field(default=0, metadata=SEEDS)  # of all that is drawn
    figures: bool = False  # whether the numbers of the figures are wanted; they are long

    schema: ClassVar[str] = "examination"

    async def answer(self, place: Place, progress: Progress) -> Answer:
        """The examination file, and the report as text."""
        order = self.order(place)
        async with place.examinations:
            done = await _examined(order, progress)
        from corollary.report.summary import examination_text

        data = done.to_json()
        if not self.figures:
            data["findings"] = [finding | {"figures": []} for finding in data["findings"]]
        return Answer(examination_text(done, "in the structured answer"), data)

    def order(self, place: Place) -> dict[str, Any]:
        """The order for the child process; every name is restricted to the folder."""
        chosen_exams(self.only)  # a wrong name is told before anything is run
        return vars(self) | {
            "target": checked_target(self.target, place.folder),
            "data": checked_data(self.data, place.folder),
            "held_out": checked_data(self.held_out, place.folder, "the held-out data"),
            "loss": checked_loss(self.loss, place.folder),
            "weights": checked_weights(self.weights, place.folder),
            "effort": self.effort,
            "budget": place.limits.seconds,
            "memory": place.limits.memory,
        }


@dataclass(frozen=True)
class Watch:
    """Read the record of a training run that `corollary.watch(model, optimizer)` has written.

    The answer says what went wrong, at which step, and gives the latest numbers. The run may still
    be going on.
    """

    record: str = "watch.jsonl"  # the file, in the folder

    schema: ClassVar[str] = "watch"

    async def answer(self, place: Place, progress: Progress) -> Answer:
        """Events, the most severe first."""
        path = checked_record(self.record, place.folder)
        if path.stat().st_size > RECORD:
            raise InputError(f"{self.record} is larger than {RECORD >> 20} MiB")
        return await asyncio.to_thread(_report, path)


TOOLS: dict[str, type[Tool]] = {
    tool.__name__.lower(): tool for tool in (List, Show, Check, Examine, Watch)
}


def _word(name: str, value: Any) -> str:
    """A JSON value in the form of the command line."""
    if isinstance(value, list):
        value = tuple(value)
    parts = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(part, str | int | float) for part in parts):
        raise InputError(
            f"expected the option '{name}' to be a number, text, true, false or a list"
        )
    return as_word(value)


async def _examined(order: dict[str, Any], progress: Progress) -> "Examination":
    """Run the examination in a separate process, which ends if the caller is cancelled."""
    loop, stop = asyncio.get_running_loop(), threading.Event()
    total, done = len(chosen_exams(order["only"])), 0

    def told(found: "list[Finding]") -> None:
        nonlocal done
        done += 1
        title = found[-1].title if found else ""
        asyncio.run_coroutine_threadsafe(progress(done, total, title), loop)

    def examined() -> "Examination":
        from corollary.examine.child import examine_in_child  # this imports torch

        return examine_in_child(order, told, stop.is_set)

    try:
        return await asyncio.to_thread(examined)
    finally:
        stop.set()


def _report(path: Path) -> Answer:
    from corollary.report.watch_page import watch_text
    from corollary.report.watch_report import WatchReport
    from corollary.watch.record import read_run

    run = read_run(path)
    return Answer(watch_text(run), WatchReport.of(run).to_json())
