"""The record of an examination: findings by question, as text, as a page and as a file."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corollary.core import Finding, Severity, Status
from corollary.errors import InputError, ResultsFileError
from corollary.examine.causes import Cause, causes_of
from corollary.examine.questions import asked, turn
from corollary.run.well_formed import check_plain, check_record

SCHEMA = 1  # version of the examination file


@dataclass(frozen=True)
class Answer:
    """All findings on one question."""

    name: str
    question: str
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> Severity:
        """The highest severity of the findings."""
        return max((f.severity for f in self.findings), key=lambda s: s.rank, default=Severity.NONE)

    @property
    def colour(self) -> str:
        """The severity, or ``unanswered``, which does not count as healthy."""
        return self.severity.value if self.answered else "unanswered"

    @property
    def answered(self) -> bool:
        """Whether at least one exam finished."""
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
    """Findings to act on, the most severe first; printed, they are a list of things to do."""

    __slots__ = ()

    def __repr__(self) -> str:
        from corollary.report.summary import advice_text

        return advice_text(self)

    __str__ = __repr__


@dataclass(frozen=True)
class Examination:
    """The findings of one examination, with everything needed to repeat it.

    It prints as a screen of text; in a notebook cell it is displayed with figures.
    """

    environment: dict[str, Any]
    subject: dict[str, Any]
    budget: float  # time limit of the examination in seconds
    findings: tuple[Finding, ...]
    effort: str = "standard"  # amount of work: quick, standard or thorough

    def answers(self) -> tuple[Answer, ...]:
        """The findings by question, the most severe first; unanswered questions come last."""
        names = sorted({f.exam.split("/")[0] for f in self.findings}, key=turn)
        found = (
            Answer(name, asked(name), tuple(f for f in self.findings if _of(f, name)))
            for name in names
        )
        return tuple(sorted(found, key=lambda a: (-a.severity.rank, not a.answered)))

    def causes(self) -> tuple[Cause, ...]:
        """What is wrong, the most severe first, each with the symptoms that follow from it."""
        return causes_of(self.findings)

    def advice(self, most: int = 3) -> Advice:
        """The most useful things to do, one for each cause."""
        told: dict[str, Finding] = {}
        for cause in self.causes():
            if cause.finding.advice:
                told.setdefault(cause.finding.advice, cause.finding)
        every = list(told.values())
        turns = {id(f): [g.exam for g in every[:i]].count(f.exam) for i, f in enumerate(every)}
        # Of equally severe ones, one of each exam comes first.
        return Advice(sorted(every, key=lambda f: (-f.severity.rank, turns[id(f)]))[:most])

    def worst(self) -> Severity:
        """The highest severity found."""
        return max((f.severity for f in self.findings), key=lambda s: s.rank, default=Severity.NONE)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page as ``.html``, or the examination file as ``.json``.

        Raises:
            InputError: if the name ends in neither.
        """
        from corollary.report.examination_page import write_examination
        from corollary.run.files import check_writable, write_atomically

        where = Path(path)
        if where.suffix not in (".html", ".json"):
            raise InputError(f"expected a file name that ends in .html or .json, got '{where}'")
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
            "effort": self.effort,
        }

    @classmethod
    def from_json(cls, data: Any) -> "Examination":
        """Read an examination file's data.

        Raises:
            ResultsFileError: if this is not an examination file, or has another schema.
        """
        try:
            if data["kind"] != "examination" or data["schema"] != SCHEMA:
                raise ResultsFileError(
                    f"expected an examination file of schema {SCHEMA}, got "
                    f"{data['kind']} of schema {data['schema']}"
                )
            check_plain(data)
            findings = tuple(Finding.from_json(f) for f in data["findings"])
            done = cls(
                data["environment"],
                data["subject"],
                float(data["budget"]),
                findings,
                data.get("effort", "standard"),
            )
            check_record(done)
            return done
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ResultsFileError):
                raise
            raise ResultsFileError(
                "expected a complete file written by `corollary examine --json`, got "
                f"something else ({type(error).__name__}: {error})"
            ) from None

    def __str__(self) -> str:
        from corollary.report.summary import examination_text

        return examination_text(self)

    def __repr__(self) -> str:
        from corollary.report.examination_page import headline

        return f"<Examination of {headline(self)}, {len(self.findings)} findings>"

    def _repr_html_(self) -> str:
        from corollary.report.examination_page import examination_html

        return examination_html(self)


def _of(finding: Finding, name: str) -> bool:
    return finding.exam.split("/")[0] == name
