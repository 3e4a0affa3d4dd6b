"""A statement that can be checked: what it supposes, what it predicts, what is measured."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar

import torch

from corollary.core.figure import Figure
from corollary.core.hypothesis import Hypothesis
from corollary.core.measurement import Measurement
from corollary.core.options import check_options
from corollary.core.randomness import generator
from corollary.core.relations import Bound, Comparison, Relation
from corollary.core.result import Refutation, Result, refutation
from corollary.core.verdict import Verdict

G = TypeVar("G")


@dataclass(frozen=True)
class Claim(ABC, Generic[G]):
    """One statement. Fields are its quantified variables; ``G`` is what it supposes given.

    A final claim defines the six methods below and ``relation``; nothing else is overridden. Its
    module's docstring is the statement, and the head of that docstring is its catalogue entry.
    """

    relation: ClassVar[Relation]
    trivial: ClassVar[float | None] = None  # the value every such bound has without any theory

    def __post_init__(self) -> None:
        check_options(self)

    @abstractmethod
    def given(self, rng: torch.Generator) -> G:
        """Draw what the statement supposes given."""

    @abstractmethod
    def hypotheses(self, given: G) -> Iterator[Hypothesis]:
        """Test each supposition."""

    @abstractmethod
    def predict(self, given: G) -> Any:
        """What theory says: a number or a list of numbers."""

    @abstractmethod
    def measure(self, given: G) -> Measurement:
        """What is found: numbers, samples, counts or a series."""

    @abstractmethod
    def figure(self, given: G) -> Figure | tuple[Figure, ...]:
        """Prediction and measurement as a picture."""

    @abstractmethod
    def counterexample(self, rng: torch.Generator) -> G | None:
        """A given that breaks a hypothesis and for which the conclusion is false.

        ``None`` only where the docstring's field ``:no-counterexample:`` says why there is none.
        """

    @classmethod
    def name(cls) -> str:
        """Area and file, as in the catalogue: ``connectionism/novikoff``."""
        return "/".join(cls.__module__.split(".")[-2:])

    @classmethod
    def title(cls) -> str:
        """First line of the statement."""
        text = inspect.getdoc(inspect.getmodule(cls)) or cls.__name__
        return text.split("\n", 1)[0].rstrip(".")

    def check(self, seed: int = 0) -> Result:
        """Draw, test the hypotheses, predict, measure, compare; and the same for what breaks it."""
        given = self.given(generator(seed, self.name()))
        return self.check_given(given, seed=seed, refuted=self.refute(seed))

    def check_given(
        self, given: G, *, seed: int | None = None, refuted: Refutation | None = None
    ) -> Result:
        """The same statement for a given of the caller's."""
        hypotheses = tuple(self.hypotheses(given))
        facts: dict[str, Any] = {
            "name": self.name(),
            "title": self.title(),
            "seed": seed,
            "parameters": {f.name: getattr(self, f.name) for f in fields(self)},
            "hypotheses": hypotheses,
            "relation": self.relation.symbol,
            "tolerance": self.relation.tolerance,
            "counterexample": refuted,
        }
        if not all(h.holds for h in hypotheses):
            return Result(verdict=Verdict.INAPPLICABLE, **facts)
        comparison = self.relation.compare(self.predict(given), self.measure(given))
        drawn = self.figure(given)
        return Result(
            verdict=self._verdict(comparison),
            predicted=comparison.predicted,
            measured=comparison.measured,
            worst=comparison.worst,
            ratio=comparison.ratio,
            note=comparison.note,
            figures=drawn if isinstance(drawn, tuple) else (drawn,),
            **facts,
        )

    def refute(self, seed: int = 0) -> Refutation | None:
        """Run the counterexample: which hypotheses it breaks, and how the conclusion fails."""
        given = self.counterexample(generator(seed, self.name(), "counterexample"))
        if given is None:
            return None
        broken = tuple(h.statement for h in self.hypotheses(given) if not h.holds)
        return refutation(broken, self.relation.compare(self.predict(given), self.measure(given)))

    def _verdict(self, comparison: Comparison) -> Verdict:
        """Holds becomes vacuous when the bound is past its trivial value."""
        if comparison.verdict is not Verdict.HOLDS or self.trivial is None:
            return comparison.verdict
        assert isinstance(self.relation, Bound), "only a bound can be vacuous"
        sign, trivial = self.relation.sign, self.trivial
        past = [sign * p >= sign * trivial for p in comparison.predicted]
        return Verdict.VACUOUS if all(past) else Verdict.HOLDS
