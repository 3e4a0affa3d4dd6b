"""The contract that every claim must satisfy, in this catalogue and in other packages.

Each rule checks a :class:`Case` and yields one sentence per violation. Together they reject a
claim whose constant is loose, whose prediction is its measurement, whose tolerance hides an error,
whose conclusion is among its hypotheses, or whose counterexample breaks nothing.
"""

import dataclasses
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, wraps
from types import FrameType, FunctionType
from typing import Any

from corollary.core.claim import Claim
from corollary.core.randomness import generator
from corollary.core.relations import Bound
from corollary.core.result import Result
from corollary.core.shows import Parity
from corollary.core.suppose import Suppose, handed
from corollary.core.trial import Trial
from corollary.core.verdict import Verdict

SEEDS = (0, 1, 2)
DRAWS = range(3, 10)  # seeds at which only the hypotheses are tested: that is cheap
GOOD = (Verdict.HOLDS, Verdict.VACUOUS)
Place = tuple[str, str]  # file and qualified name of a function or class
Fields = dict[str, str]  # the head of the docstring: source, kind, cost, loose, ...


@dataclass(frozen=True)
class Case:
    """A claim at its defaults, with the results that the rules share."""

    claim: Claim[Any]
    fields: Fields
    executed: set[Place] = field(default_factory=set)  # noted while the first trial is made
    entangled: set[str] = field(default_factory=set)  # noted while the others are made

    @cached_property
    def result(self) -> Result:
        """A full check at seed 0."""
        return self.claim.check(0)

    @cached_property
    def trials(self) -> dict[int, Trial[Any]]:
        """Prediction and measurement at each seed, whatever the hypotheses say.

        The first trial is traced. In the others, each side is computed while the other side raises
        an error, so that two rules need no extra trials.
        """
        first, *others = SEEDS
        with traced(self.executed):
            trials = {first: self.claim.trial(self.claim.draw(first), first)}
        return trials | {seed: self._apart(seed) for seed in others}

    def _apart(self, seed: int) -> Trial[Any]:
        claim, given = self.claim, self.claim.draw(seed)
        try:
            with _poisoned(type(claim), "measure"):
                predicted = claim.predict(given)
        except _PoisonError:
            self.entangled.add("`predict` calls `measure`")
            predicted = claim.predict(given)
        try:
            with _poisoned(type(claim), "predict"):
                measured = claim.measured(given, seed)
        except _PoisonError:
            self.entangled.add("`measure` calls `predict`")
            measured = claim.measured(given, seed)
        return claim.compared(given, predicted, measured)

    @cached_property
    def tight(self) -> Trial[Any] | None:
        """The instance at which a bound is nearly attained."""
        return self.claim.tightest()

    @property
    def tightest(self) -> Trial[Any]:
        """The trial in which a bound is closest to the measurement."""
        own = self.trials[0]
        if self.tight is None or own.comparison.tightness > self.tight.comparison.tightness:
            return own
        return self.tight


def holds(case: Case) -> Iterator[str]:
    """The claim holds at three seeds, and its hypotheses hold at ten."""
    for seed in (*SEEDS, *DRAWS):
        given = case.trials[seed].given if seed in SEEDS else case.claim.draw(seed)
        for h in case.claim.hypotheses(given):
            if not h.holds:
                yield f"seed {seed}: the hypothesis does not hold: {h.sentence}"
    for seed, trial in case.trials.items():
        found = trial.comparison
        if found.verdict is not Verdict.HOLDS:
            yield f"seed {seed}: {found.verdict}, ratio {found.ratio:.4g} {found.note}"
    if case.result.verdict not in GOOD:
        yield case.result.sentence


def repeats(case: Case) -> Iterator[str]:
    """The same seed gives the same numbers."""
    again = case.trials[0].comparison
    before = (case.result.predicted, case.result.measured)
    if repr(before) != repr((again.predicted, again.measured)):
        yield "the same seed gives different numbers"


def is_labelled(case: Case) -> Iterator[str]:
    """Both sides have a name, several rows have labels, figures have titles, axes and labels."""
    if case.claim.symbols == Claim.symbols:
        yield "declare `symbols`: what the prediction and the measurement are called"
    scattered = any(isinstance(show, Parity) for show in case.claim.declared)
    if 1 < len(case.result.predicted) <= 12 and not case.result.rows and not scattered:
        yield f"{len(case.result.predicted)} comparisons without labels: declare `rows`"
    if not case.result.figures:
        yield "there is no picture: declare `shows` or write a `@picture`"
    for figure in case.result.figures:
        if not (figure.title and figure.x and figure.y):
            yield f"the figure '{figure.title}' needs a title and two axis labels"
        if not all(getattr(mark, "label", "") for mark in figure.marks):
            yield f"a mark of the figure '{figure.title}' has no label"


def bound_is_attained(case: Case) -> Iterator[str]:
    """A bound is shown to be attained within a factor of two, or says why it is loose."""
    if not isinstance(case.claim.relation, Bound):
        return
    if case.tight is not None and case.tight.comparison.verdict is not Verdict.HOLDS:
        yield f"the bound {case.tight.comparison.verdict} at the instance of `tight`"
    reached = case.tightest.comparison.tightness
    if reached < 0.5 and not case.fields.get("loose"):
        yield (
            f"the bound is attained only up to the factor {reached:.2g}; define an instance in "
            "`tight`, or "
            "give the reason in the field :loose:"
        )


def notices_wrong_predictions(case: Case) -> Iterator[str]:
    """Every mutant of the prediction changes the verdict."""
    relation, trial = case.claim.relation, case.tightest
    for relation, mutant in wrong_predictions(case):
        if relation.compare(mutant, trial.measured).verdict is Verdict.HOLDS:
            yield f"this wrong prediction still holds: {mutant}"


def wrong_predictions(case: Case) -> Iterator[tuple[Any, Any]]:
    """Relations, each with predictions that must fail."""
    relation, trial = case.claim.relation, case.tightest
    loose = bool(case.fields.get("loose"))
    yield from ((relation, m) for m in relation.mutants(trial.predicted, loose=loose))
    if isinstance(relation, Bound) and trial.comparison.ratio != 1:
        yield relation.swapped(), trial.predicted


def hypotheses_are_needed(case: Case) -> Iterator[str]:
    """Each breaker breaks its own hypothesis and the conclusion, and says what happens."""
    broken = [s for s in case.claim.suppositions if s.without is not None]
    if not case.claim.suppositions:
        yield "declare the assumptions in `supposes`"
    if not broken and not case.fields.get("no-counterexample"):
        yield (
            "no hypothesis is broken; give one of them a `without`, or give the reason in "
            "the field :no-counterexample:"
        )
    if case.result.verdict is Verdict.INAPPLICABLE:
        return  # told by `holds`
    for suppose, refuted in zip(broken, case.result.counterexamples, strict=True):
        name = f"without “{suppose.sentence}”"
        if not suppose.words.endswith("."):
            yield f"{name}: the breaker needs a docstring of one sentence"
        if suppose.sentence not in refuted.broken:
            yield f"{name}: the breaker does not break this hypothesis"
        if not refuted.fails:
            yield f"{name}: the conclusion does not fail: {refuted.sentence}"


def sides_are_independent(case: Case) -> Iterator[str]:
    """Neither side needs the other: each works while the other raises."""
    assert case.trials  # made by now, and what they noted is there
    yield from sorted(case.entangled)


class _PoisonError(Exception):
    """The other side was called."""


@contextmanager
def _poisoned(kind: type, name: str) -> Iterator[None]:
    def poison(*args: Any, **kwargs: Any) -> Any:
        raise _PoisonError

    with _replaced(kind, name, poison):
        yield


def theory_matters(case: Case) -> Iterator[str]:
    """The claim fails if a theory function is off by a half, or a bound is twice too tight."""
    if case.fields.get("scale-free"):
        return
    names = list(theory_functions(case.claim))
    less = 1e-3 if case.fields.get("loose") else 0.4
    if not names or any(_noticed(case.claim, name, less) for name in names):
        return
    yield (
        f"no change of {', '.join(names)} makes the claim fail; if the claim is about ratios "
        "or symmetries, say so in the field :scale-free:"
    )


def theory_functions(claim: Claim[Any]) -> Iterator[str]:
    """Names under which the claim's module imports functions of theory that give numbers."""
    for name, value in vars(sys.modules[type(claim).__module__]).items():
        if isinstance(value, FunctionType) and value.__module__.startswith("corollary.theory"):
            if value.__annotations__.get("return") is not bool:
                yield name


def _noticed(claim: Claim[Any], name: str, less: float) -> bool:
    module = sys.modules[type(claim).__module__]
    original = getattr(module, name)
    changes: list[Callable[[Any], Any]] = [lambda v: 1.5 * v, lambda v: v + 0.5]
    if isinstance(claim.relation, Bound):
        changes.append(lambda v: less * v)
    for change in changes:

        @wraps(original)
        def changed(*args: Any, change: Callable[[Any], Any] = change, **kwargs: Any) -> Any:
            return _mapped(original(*args, **kwargs), change)

        with _replaced(module, name, changed):
            try:
                if any(_fails(claim, given) for given in _instances(claim)):
                    return True
            except Exception:  # a theory that is off may break anything; only `fails` counts
                continue
    return False


def _instances(claim: Claim[Any]) -> Iterator[Any]:
    """The instance of seed 0, and the instance at which a bound is nearly attained."""
    yield claim.draw(0)
    tight = handed(claim.tight, claim, None, generator(0, "tight"))
    if tight is not None:
        yield tight


def _fails(claim: Claim[Any], given: Any) -> bool:
    applies = all(h.holds for h in claim.hypotheses(given))
    return applies and claim.trial(given, 0).comparison.verdict is Verdict.FAILS


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Every number in ``value``, changed."""
    import torch

    if isinstance(value, bool):
        return not value
    if isinstance(value, torch.Tensor):
        return change(value) if value.is_floating_point() or value.is_complex() else value
    if isinstance(value, int | float | Fraction):
        return math.ceil(change(value)) if isinstance(value, int) else change(float(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_mapped(v, change) for v in value))
    if isinstance(value, tuple | list):
        return type(value)(_mapped(v, change) for v in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        numbers = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
        return dataclasses.replace(value, **{k: _mapped(v, change) for k, v in numbers.items()})
    return value


def hypotheses_are_measured(case: Case) -> Iterator[str]:
    """No hypothesis only reads a switch of the given."""
    given = case.trials[0].given
    for suppose in case.claim.suppositions:
        read = fields_read(suppose, case.claim, given)
        if read and all(isinstance(value, bool | str) for value in read.values()):
            names = ", ".join(read)
            yield (
                f"the hypothesis “{suppose.sentence}” only reads the switch {names}; "
                "measure it on the drawn instance"
            )


def fields_read(suppose: Suppose, claim: Claim[Any], given: Any) -> dict[str, Any]:
    """The fields of the given that a test looks at."""
    if not hasattr(given, "_fields"):
        return {}
    kind, read = type(given), set[str]()

    def attribute(spy: Any, name: str) -> Any:
        if name in kind._fields:
            read.add(name)
        return object.__getattribute__(spy, name)

    def iterate(spy: Any) -> Iterator[Any]:
        read.update(kind._fields)
        values: Iterator[Any] = kind.__iter__(spy)
        return values

    seen = type(kind.__name__, (kind,), {"__getattribute__": attribute, "__iter__": iterate})
    suppose.hypothesis(claim, seen(*given))
    return {name: getattr(given, name) for name in kind._fields if name in read}


def experiments_have_intervals(case: Case) -> Iterator[str]:
    """A random experiment is repeated, and its measurement has an interval."""
    if case.fields.get("kind") != "experiment":
        return
    measured = [case.trials[seed].comparison.measured for seed in SEEDS]
    random = len({tuple(r.value for r in readings) for readings in measured}) > 1
    if random and not any(r.low < r.high for r in measured[0]):
        yield (
            "a random experiment needs repeated runs; return a Sample, Count or Series "
            "from `measure`"
        )


def covers_what_it_runs(case: Case, places: dict[str, list[Place]]) -> Iterator[str]:
    """Where an object of the library covers the same result, the claim executes it.

    Args:
        case: The claim.
        places: For each result, the files and qualified names of the objects that cover it.
    """
    assert case.trials  # made by now, and traced
    left = {slug: o for slug, o in places.items() if o and not _ran_any(o, case.executed)}
    if not left:
        return
    # Breakers and pictures run more than a trial does; no claim keeps results of this seed.
    with traced(executed := set[Place]()):
        case.claim.check(max(SEEDS) + 1)
    for slug, objects in left.items():
        if not _ran_any(objects, executed):
            names = ", ".join(name or path for path, name in objects)
            yield f"the claim covers {slug}, but never runs {names}"


def _ran_any(objects: list[Place], executed: set[Place]) -> bool:
    return any(
        file == path and (not name or code == name or code.startswith(name + "."))
        for path, name in objects
        for file, code in executed
    )


@contextmanager
def traced(executed: set[Place]) -> Iterator[None]:
    """Record the file and the qualified name of every Python function that is called."""

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            executed.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    inherited = name not in vars(owner)
    own = vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if inherited:
            delattr(owner, name)
        else:
            setattr(owner, name, own)


RULES: tuple[Callable[[Case], Iterator[str]], ...] = (
    holds,
    repeats,
    is_labelled,
    bound_is_attained,
    notices_wrong_predictions,
    hypotheses_are_needed,
    sides_are_independent,
    theory_matters,
    hypotheses_are_measured,
    experiments_have_intervals,
)


def complaints(claim: Claim[Any], fields: Fields) -> list[str]:
    """Everything that is wrong with a claim, one sentence each."""
    case = Case(claim, fields)
    return [text for rule in RULES for text in rule(case)]
