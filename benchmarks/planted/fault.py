"""A planted fault: the network that has it, its twin that does not, and what should be said."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from corollary.core import Finding, Severity, Subject
from corollary.examine.examiner import examine_subject
from corollary.report.comparison import named

ALARM = Severity.MEDIUM  # from here on a finding is an alarm


@dataclass(frozen=True)
class Fault:
    """One fault. ``faulty`` and ``healthy`` give the arguments of a Subject."""

    name: str
    exam: str  # the exam that should find it, question/file
    where: str  # the finding's place; empty for the whole network
    advice: str  # must be part of the finding's advice, in lower case
    faulty: Callable[[], dict[str, Any]]
    healthy: Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Outcome:
    """What came of a fault and of its twin."""

    fault: Fault
    found: bool  # by the right exam, at the right place, with the right advice
    said: str
    alarms: tuple[str, ...]  # what the same question said of the healthy twin


def tried(fault: Fault, effort: str = "standard") -> Outcome:
    """Examine both: the faulty one by the exam that should find it, the twin by its question."""
    question = fault.exam.split("/")[0]
    told = _examined(fault.faulty, fault.exam, effort)
    right = [
        f
        for f in told
        if f.exam == fault.exam
        and f.severity.rank >= ALARM.rank
        and fault.where == f.where
        and fault.advice in f.advice.lower()
    ]
    if not right:  # what was said instead?
        told = _examined(fault.faulty, question, effort)
    said = right or [f for f in told if f.severity.rank >= ALARM.rank]
    alarms = [
        f for f in _examined(fault.healthy, question, effort) if f.severity.rank >= ALARM.rank
    ]
    return Outcome(
        fault,
        bool(right),
        named(said[0]) if said else "nothing",
        tuple(f"{f.exam}: {named(f)}" for f in alarms),
    )


def _examined(build: Callable[[], dict[str, Any]], only: str, effort: str) -> list[Finding]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        about = build()
    return list(examine_subject(Subject(**about), effort=effort, only=only).findings)
