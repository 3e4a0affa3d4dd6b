"""Asks every question of a subject, within a budget, and never lets one exam end the others."""

import json
import os
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from corollary.core import Budget, Exam, Finding, Severity, Status, Subject
from corollary.core.finding import failed, not_applicable
from corollary.core.losses import Loss
from corollary.core.subject import Output
from corollary.errors import (
    CorollaryError,
    InputError,
    NotApplicableError,
    ResultsFileError,
    TimeLimitError,
    UnknownNameError,
)
from corollary.intake import as_data, as_module
from corollary.readiness import NO_OUTPUT, NOT_FINITE, guarded, take_fewer, try_a_pass
from corollary.registry import Entry, entries, question
from corollary.run import environment, time_limit
from corollary.theory.modules.keeping import kept

SCHEMA = 1  # version of the examination file
# An exam that overruns its share by this factor is stopped, but not before so many seconds if the
# whole budget has them: on a busy machine a short exam may take long.
GRACE, AT_LEAST = 1.5, 10.0
CUT_SHORT = "examination/cut_short"  # the note that not all exams could run
# What is asked first: whether the rest means anything. Answers that are equally grave follow suit.
QUESTIONS = ("soundness", "trainability", "learning", "function", "generalization", "robustness")
FIRST = QUESTIONS[:2]
UNSOUND = "some {} {}; mend that first, then ask again"
SCRIPTED = "a scripted module cannot be looked into; examine the module it was made from"
Progress = Callable[[Entry, Sequence[Finding]], None]


@dataclass(frozen=True)
class Answer:
    """All that was found on one question."""

    name: str
    question: str
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> Severity:
        """The worst of its findings."""
        return max((f.severity for f in self.findings), key=lambda s: s.rank, default=Severity.NONE)

    @property
    def answered(self) -> bool:
        """Whether an exam came to its end."""
        return any(f.status is Status.DONE for f in self.findings)

    @property
    def verdict(self) -> str:
        """The answer in a few words."""
        if not self.answered:
            return "not answered"
        words = {
            Severity.NONE: "nothing wrong found",
            Severity.LOW: "fine, with remarks",
            Severity.MEDIUM: "needs attention",
            Severity.HIGH: "something is wrong",
        }[self.severity]
        failed = sum(f.status is Status.FAILED for f in self.findings)
        return words + (f", {failed} exam{'s' if failed > 1 else ''} failed" if failed else "")


class Advice(tuple[Finding, ...]):
    """Findings to act on, the gravest first; printed, what to do about each."""

    __slots__ = ()

    def __repr__(self) -> str:
        from corollary.report.summary import advice_text

        return advice_text(self)

    __str__ = __repr__


@dataclass(frozen=True)
class Examination:
    """The findings of one examination, with all that is needed to repeat it.

    Printed, it is a screen of text; at the end of a notebook cell, it shows itself with figures.
    """

    environment: dict[str, Any]
    subject: dict[str, Any]
    budget: float
    findings: tuple[Finding, ...]

    def answers(self) -> tuple[Answer, ...]:
        """The findings by question, the gravest first, and last what was not answered."""
        names = sorted({f.exam.split("/")[0] for f in self.findings}, key=_turn)
        found = (
            Answer(name, _asked(name), tuple(f for f in self.findings if _of(f, name)))
            for name in names
        )
        return tuple(sorted(found, key=lambda a: (-a.severity.rank, not a.answered)))

    def advice(self, most: int = 3) -> Advice:
        """The most useful things to do: the gravest findings that come with advice.

        Of equally grave ones, those come first that say something other than the ones before: one
        of each exam, then the second ones.
        """
        grave = [f for f in self.findings if f.advice and f.severity is not Severity.NONE]
        turns = {id(f): [g.exam for g in grave[:i]].count(f.exam) for i, f in enumerate(grave)}
        return Advice(sorted(grave, key=lambda f: (-f.severity.rank, turns[id(f)]))[:most])

    def worst(self) -> Severity:
        """The gravest severity found."""
        return max((f.severity for f in self.findings), key=lambda s: s.rank, default=Severity.NONE)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page as ``.html``, or the examination file as ``.json``.

        Raises:
            InputError: if the name ends in neither.
        """
        from corollary.journal import check_writable, write_atomically
        from corollary.report.examination import write_examination

        where = Path(path)
        if where.suffix not in (".html", ".json"):
            raise InputError(f"the name must end in .html or .json, but it is '{where}'")
        check_writable(where)
        if where.suffix == ".html":
            return write_examination(self, where)
        write_atomically(where, json.dumps(self.to_json(), indent=1, allow_nan=False) + "\n")
        return where

    def to_json(self) -> dict[str, Any]:
        """The examination file as plain data."""
        return {
            "schema": SCHEMA,
            "kind": "examination",
            "environment": self.environment,
            "subject": self.subject,
            "budget": self.budget,
            "findings": [f.to_json() for f in self.findings],
        }

    @classmethod
    def from_json(cls, data: Any) -> "Examination":
        """Read an examination file's data.

        Raises:
            ResultsFileError: if this is not one, or one of another schema.
        """
        try:
            if data["kind"] != "examination" or data["schema"] != SCHEMA:
                raise ResultsFileError(
                    f"an examination file of schema {SCHEMA} is needed, but this is "
                    f"{data['kind']} of schema {data['schema']}"
                )
            findings = tuple(Finding.from_json(f) for f in data["findings"])
            return cls(data["environment"], data["subject"], float(data["budget"]), findings)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ResultsFileError):
                raise
            raise ResultsFileError(
                "this is not a complete file of `corollary examine --json` "
                f"({type(error).__name__}: {error})"
            ) from None

    def __str__(self) -> str:
        from corollary.report.summary import examination_text

        return examination_text(self)

    def __repr__(self) -> str:
        from corollary.report.examination import headline

        return f"<Examination of {headline(self)}, {len(self.findings)} findings>"

    def _repr_html_(self) -> str:
        from corollary.report.examination import examination_html

        return examination_html(self)


def examine(
    model: nn.Module,
    data: Any = None,
    *,
    loss: Loss | str | None = None,
    lr: float | None = None,
    batch_size: int | None = None,
    output: Output | None = None,
    held_out: Any = None,
    samples: int = 1024,
    seed: int = 0,
    budget: float = 120.0,
    only: str | Sequence[str] | None = None,
    progress: Progress | bool = True,
) -> Examination:
    """Examine a module: is it sound, will it train and generalise, what is it, is it robust.

    One batch is tried first.

    Args:
        model: Any ``nn.Module``; it is given back as it came. Of one that ``torch.compile`` or
            ``nn.DataParallel`` wraps, the module within is examined.
        data: ``(x, y)`` as tensors or arrays, a dict of tensors, a Dataset, a DataLoader, or a
            list or generator of batches or of samples.
        loss: ``loss(output, target)``, or ``cross_entropy``, ``mse``, ``bce``; without it the
            model's own loss, else the one that suits output and target.
        lr: The step size you train with; advice refers to it.
        batch_size: The batch size you train with.
        output: Which part of a structured output is meant: a key, an index or a function.
        held_out: Data that the module has not been trained on, in the forms of ``data``.
        samples: How many samples are taken from the data, at most; of a slow module fewer are.
        seed: Seed of all that exams draw.
        budget: Seconds for the whole examination.
        only: One question or several, by folder name, or single exams in full.
        progress: A bar on a terminal or in a notebook, unless it is False; or a function that is
            called after each exam with what it found.

    Raises:
        InputError: if there is nothing to examine, as when the module cannot be called with the
            data; the message says why.

    Example:
        >>> from torch import nn, ones
        >>> done = examine(nn.Linear(2, 1), ones(16, 2), only="soundness/finite")
        >>> [finding.title for finding in done.findings]
        ['All outputs are finite']
    """
    if not budget > 0:
        raise InputError(f"the budget must be positive, but it is {budget:g} s")
    subject = Subject(
        as_module(model), as_data(data), loss=loss, lr=lr, batch_size=batch_size, output=output,
        held_out=as_data(held_out), samples=samples, seed=seed,
    )  # fmt: skip
    exams = chosen_exams(only)  # a wrong name is told before anything is run
    try_a_pass(subject, budget, labels=False)
    take_fewer(subject, budget)
    if callable(progress):
        return examine_subject(subject, budget=budget, only=only, progress=progress)
    from corollary.report.progress import progress_bar

    with progress_bar(len(exams)) if progress else nullcontext() as advance:
        told = None if advance is None else (lambda _, found: advance(found))
        return examine_subject(subject, budget=budget, only=only, progress=told)


def examine_subject(
    subject: Subject,
    *,
    budget: float = 120.0,
    only: str | Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Examination:
    """As :func:`examine`, for a subject that is already there."""
    chosen = chosen_exams(only)
    where, ends = environment(), time.monotonic() + budget
    # Whether it is sound and will train comes first, whatever it costs; then short exams before
    # long ones, so that one that takes all of the budget costs the others nothing.
    exams = sorted(
        ((entry, entry.load()()) for entry in chosen),
        key=lambda pair: (FIRST.index(pair[0].area) if pair[0].area in FIRST else 9, pair[1].share),
    )
    findings: list[Finding] = []
    for i, (entry, exam) in enumerate(exams):
        left = max(0.0, ends - time.monotonic())
        share = exam.share / sum(other.share for _, other in exams[i:])
        with guarded(subject):
            found = run_exam(entry, exam, subject, left * share, max(left, 1.0))
        findings += found
        if progress:
            progress(entry, found)
    return Examination(where, subject.describe(), budget, tuple(findings))


def run_exam(
    entry: Entry, exam: Exam, subject: Subject, seconds: float, left: float
) -> list[Finding]:
    """One exam; whatever goes wrong becomes a finding, and what it had found is kept.

    Args:
        entry: Its entry in the catalogue.
        exam: The exam.
        subject: What is examined.
        seconds: Its share of the budget.
        left: What is left of the whole budget.
    """
    found: list[Finding] = []
    if seconds <= 0:
        return [failed(entry.name, entry.title, "the budget was spent before this exam's turn")]
    if subject.memo.get(NOT_FINITE) == "parameters" and entry.area != "soundness":
        return [not_applicable(entry.name, entry.title, _known_reason(subject))]
    try:
        with kept(subject.model), time_limit(min(left, max(GRACE * seconds, AT_LEAST))):
            for finding in exam.examine(subject, Budget.of(seconds)):
                found.append(finding)
    except NotApplicableError as why:
        found.append(not_applicable(entry.name, entry.title, str(why)))
    except TimeLimitError:
        found.append(failed(entry.name, entry.title, "it ran out of its share of the budget"))
    except MemoryError:
        found.append(failed(entry.name, entry.title, "it needs more memory than it may take"))
    except Exception as error:  # a crash is a row of the report, never the end of it
        reason = _known_reason(subject)
        told = not_applicable if reason else failed
        found.append(told(entry.name, entry.title, reason or _told(error)))
    return found


def _known_reason(subject: Subject) -> str:
    """What is known of a subject that makes exams break down; empty for a usual one."""
    if NOT_FINITE in subject.memo:
        return UNSOUND.format(subject.memo[NOT_FINITE], "are NaN or infinite")
    if NO_OUTPUT in subject.memo:
        return UNSOUND.format("labels", "have no output")
    return SCRIPTED if isinstance(subject.model, torch.jit.ScriptModule) else ""


def _told(error: Exception) -> str:
    """What went wrong, in one line; of an error that is not ours also its kind and its place."""
    if isinstance(error, CorollaryError):
        return " ".join(str(error).split())
    last = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error} ({last.name}, line {last.lineno})"
    return " ".join(said.split())


def chosen_exams(only: str | Sequence[str] | None) -> list[Entry]:
    """The exams asked for: all, some questions, or single exams."""
    exams = sorted((e for e in entries() if e.is_exam), key=lambda e: _turn(e.area))
    if only is None:
        return exams
    wanted = [only] if isinstance(only, str) else list(only)
    for name in wanted:
        if not any(name in (e.area, e.name, e.stem) for e in exams):
            known = ", ".join(dict.fromkeys(e.area for e in exams))
            raise UnknownNameError(f"there is no question or exam '{name}'; questions: {known}")
    return [e for e in exams if {e.area, e.name, e.stem} & set(wanted)]


def _asked(name: str) -> str:
    return "Was it complete?" if name == CUT_SHORT.split("/")[0] else question(name)


def _turn(name: str) -> int:
    """The place of a question; one that is not listed comes last."""
    return QUESTIONS.index(name) if name in QUESTIONS else len(QUESTIONS)


def _of(finding: Finding, name: str) -> bool:
    return finding.exam.split("/")[0] == name
