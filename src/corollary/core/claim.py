"""A statement that can be checked: what it supposes, what it predicts, what is measured."""

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any, ClassVar, Generic, TypeVar, dataclass_transform

import torch

from corollary.core.figure import Figure
from corollary.core.hypothesis import Hypothesis
from corollary.core.measurement import Kept, Measurement
from corollary.core.numbers import as_floats, short
from corollary.core.options import check_options
from corollary.core.picture import Picture
from corollary.core.randomness import generator
from corollary.core.relations import Bound, Comparison, Relation
from corollary.core.result import Refutation, Result, refutation
from corollary.core.shows import Along, Show
from corollary.core.suppose import Suppose, handed
from corollary.core.trial import Later, Trial
from corollary.core.verdict import Verdict

G = TypeVar("G")


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Claim(ABC, Generic[G]):
    """One statement. Fields are its quantified variables; ``G`` is what it supposes given.

    A claim is a frozen dataclass without a decorator. A final claim implements ``given``,
    ``predict`` and ``measure`` and declares the rest, including a constant prediction. The
    docstring of its module is the statement, and the head of that docstring is its catalogue entry.
    """

    relation: ClassVar[Relation]
    supposes: ClassVar[Suppose | tuple[Suppose, ...]] = ()
    symbols: ClassVar[tuple[str, str]] = ("predicted", "measured")
    predicts: ClassVar[Any] = None  # what theory says, where it is a constant
    rows: ClassVar[tuple[str, ...] | str] = ()  # labels of several entries, or "m = {widths}"
    shows: ClassVar[Show | tuple[Show, ...]] = ()
    trivial: ClassVar[float | None] = None  # the value every such bound has without any theory

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclass(frozen=True)(cls)

    def __post_init__(self) -> None:
        check_options(self)

    @abstractmethod
    def given(self, rng: torch.Generator) -> G:
        """Draw an instance that the statement is about."""

    def predict(self, given: G) -> Any:
        """The prediction: a number or a list of numbers; the constant, if one is declared."""
        if self.predicts is None:
            raise NotImplementedError(f"{type(self).__name__} needs `predict` or `predicts`")
        return self.predicts

    @abstractmethod
    def measure(self, given: G, *args: Any, **kwargs: Any) -> Measurement:
        """The measurement; a second parameter ``rng`` is given a generator."""

    def tight(self, *args: Any, **kwargs: Any) -> G | None:
        """For a bound: an instance at which it is nearly attained; ``rng`` is given a generator."""
        return None

    def figure(self, trial: Trial[G]) -> tuple[Figure, ...]:
        """Figures whose number depends on the trial; other figures are decorated methods."""
        return ()

    @property
    def suppositions(self) -> tuple[Suppose, ...]:
        """The hypotheses, one or several."""
        return self.supposes if isinstance(self.supposes, tuple) else (self.supposes,)

    @property
    def declared(self) -> tuple[Show, ...]:
        """The figures that the core draws, one or several."""
        return self.shows if isinstance(self.shows, tuple) else (self.shows,)

    @classmethod
    def name(cls) -> str:
        """Area and file, as in the catalogue: ``connectionism/novikoff``."""
        return "/".join(cls.__module__.split(".")[-2:])

    @classmethod
    def title(cls) -> str:
        """First line of the statement."""
        text = inspect.getdoc(inspect.getmodule(cls)) or cls.__name__
        return text.split("\n", 1)[0].rstrip(".")

    def check(self, seed: int = 0, *, draw: bool = True) -> Result:
        """Draw, test the hypotheses, predict, measure, compare; repeat without each hypothesis."""
        given = self.draw(seed)
        hypotheses = tuple(self.hypotheses(given))
        if not all(h.holds for h in hypotheses):
            return self._result(hypotheses, None, seed)
        trial = self.trial(given, seed)
        trial = replace(trial, without=tuple(self.without(given, seed)))
        result = self._result(hypotheses, trial, seed, draw=draw)
        return replace(result, attained=self._attained(trial))

    def check_live(self, seed: int = 0, figure: int = 0) -> Result:
        """Like :meth:`check`, with one figure and only what that figure needs.

        Counterexamples, the other figures and the tightness of a bound are not computed.
        """
        given = self.draw(seed)
        hypotheses = tuple(self.hypotheses(given))
        if not all(h.holds for h in hypotheses):
            return self._result(hypotheses, None, seed)
        trial = self.trial(given, seed)
        result = self._result(hypotheses, trial, seed, draw=False)
        trial = replace(trial, without=Later(lambda: self.without(given, seed)))
        return replace(result, figures=self._figure_at(figure, trial, seed))

    def check_given(self, given: G, *, seed: int | None = None, draw: bool = False) -> Result:
        """Check the statement on the caller's own instance, without counterexamples.

        Figures are drawn on request; a figure that compares with a counterexample is left out.
        """
        hypotheses = tuple(self.hypotheses(given))
        applies = all(h.holds for h in hypotheses)
        trial = self.trial(given, seed or 0) if applies else None
        return self._result(hypotheses, trial, seed, draw=draw)

    def draw(self, seed: int) -> G:
        """The instance for this seed."""
        return self.given(generator(seed, self.name()))

    def hypotheses(self, given: G) -> tuple[Hypothesis, ...]:
        """The hypotheses, tested on the instance."""
        return tuple(suppose.hypothesis(self, given) for suppose in self.suppositions)

    def trial(self, given: G, seed: int = 0) -> Trial[G]:
        """Predict, measure and compare, whether the hypotheses hold or not."""
        return self.compared(given, self.predict(given), self.measured(given, seed))

    def measured(self, given: G, seed: int = 0) -> Measurement:
        """The measurement, with the generator of this seed."""
        return handed(self.measure, self, given, generator(seed, self.name(), "measure"))

    def compared(self, given: G, predicted: Any, measured: Measurement) -> Trial[G]:
        """The trial of these two sides."""
        kept = measured.more if isinstance(measured, Kept) else None
        found = measured.measured if isinstance(measured, Kept) else measured
        trial = Trial(given, predicted, found, self.relation.compare(predicted, found))
        return replace(trial, kept=kept) if kept else trial

    def without(self, given: G, seed: int = 0) -> Iterator[Trial[G]]:
        """One trial for each necessary hypothesis, without that hypothesis."""
        for suppose, other in self.broken(given, seed):
            broken = tuple(h.statement for h in self.hypotheses(other) if not h.holds)
            yield replace(self.trial(other, seed), words=suppose.words, broken=broken)

    def broken(self, given: G, seed: int = 0) -> Iterator[tuple[Suppose, G]]:
        """Each hypothesis that is shown to be needed, with an instance that breaks it."""
        for suppose in self.suppositions:
            if suppose.without is not None:
                rng = generator(seed, self.name(), "without", suppose.sentence)
                yield suppose, handed(suppose.without, self, given, rng)

    def refute(self, seed: int = 0) -> Refutation | None:
        """What happens without the first hypothesis that is shown to be needed."""
        first = next(self.without(self.draw(seed), seed), None)
        return None if first is None else refutation(first.broken, first.words, first.comparison)

    def tightest(self) -> Trial[G] | None:
        """For a bound: the trial at the instance that :meth:`tight` returns."""
        given = handed(self.tight, self, None, generator(0, self.name(), "tight"))
        return None if given is None else self.trial(given, 0)

    def _attained(self, trial: Trial[G]) -> float | None:
        if not isinstance(self.relation, Bound):
            return None
        best = self.tightest()
        own = trial.comparison.tightness
        return own if best is None else max(own, best.comparison.tightness)

    def lookup(self, name: str, given: G) -> Any:
        """A field of the claim, or else of the given instance."""
        return getattr(self, name) if hasattr(self, name) else getattr(given, name)

    def row_labels(self, trial: Trial[G]) -> tuple[str, ...]:
        """A label for each of several comparisons; none for a single one."""
        if len(trial.comparison.predicted) == 1:
            return ()
        if isinstance(self.rows, str):
            (name,) = re.findall(r"{(\w+)}", self.rows)
            values: Sequence[float] = as_floats(self.lookup(name, trial.given))
            labels = tuple(self.rows.replace(f"{{{name}}}", short(v)) for v in values)
        elif self.rows:
            labels = self.rows
        else:
            along = next((s for s in self.declared if isinstance(s, Along) and s.x), None)
            labels = along.labels(self, trial) if along else ()
        return labels if len(labels) == len(trial.comparison.predicted) else ()

    def _result(
        self,
        hypotheses: tuple[Hypothesis, ...],
        trial: Trial[G] | None,
        seed: int | None,
        *,
        draw: bool = True,
    ) -> Result:
        facts: dict[str, Any] = {
            "name": self.name(),
            "title": self.title(),
            "seed": seed,
            "parameters": {f.name: getattr(self, f.name) for f in fields(self)},
            "hypotheses": hypotheses,
            "relation": self.relation.symbol,
            "tolerance": self.relation.tolerance,
            "symbols": self.symbols,
        }
        if trial is None:
            return Result(verdict=Verdict.INAPPLICABLE, **facts)
        comparison = trial.comparison
        return Result(
            verdict=self._verdict(comparison),
            predicted=comparison.predicted,
            measured=comparison.measured,
            worst=comparison.worst,
            ratio=comparison.ratio,
            note=comparison.note,
            rows=self.row_labels(trial),
            counterexamples=tuple(
                refutation(b.broken, b.words, b.comparison) for b in trial.without
            ),
            figures=self.figures(trial, seed or 0) if draw else (),
            **facts,
        )

    def figures(self, trial: Trial[G], seed: int = 0) -> tuple[Figure, ...]:
        """The declared figures, then the claim's own."""
        drawn = (show.draw(self, trial, seed) for show in self.declared)
        return (*drawn, *self._own_figures(trial))

    def _figure_at(self, k: int, trial: Trial[G], seed: int) -> tuple[Figure, ...]:
        """The figure of this number, if there is one; other declared figures are not drawn."""
        shows = self.declared
        if k < len(shows):
            return (shows[k].draw(self, trial, seed),)
        return tuple(islice(self._own_figures(trial), k - len(shows), k - len(shows) + 1))

    def _own_figures(self, trial: Trial[G]) -> Iterator[Figure]:
        names = dict.fromkeys(n for kind in reversed(type(self).__mro__) for n in vars(kind))
        for marks in (getattr(type(self), name, None) for name in names):
            if isinstance(frame := getattr(marks, "picture", None), Picture):
                yield from frame.draw(self, trial, marks)
        yield from self.figure(trial)

    def _verdict(self, comparison: Comparison) -> Verdict:
        """A bound that holds becomes vacuous if it is no better than its trivial value."""
        if comparison.verdict is not Verdict.HOLDS or self.trivial is None:
            return comparison.verdict
        assert isinstance(self.relation, Bound), "only a bound can be vacuous"
        sign, trivial = self.relation.sign, self.trivial
        past = [sign * p >= sign * trivial for p in comparison.predicted]
        return Verdict.VACUOUS if all(past) else Verdict.HOLDS
