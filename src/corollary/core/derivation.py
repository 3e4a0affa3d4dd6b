"""A proof carried out on numbers: its slack, and the step that needs each hypothesis."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from corollary.core.claim import Claim
from corollary.core.numbers import to_json_number
from corollary.core.proof import NOISE, Proof, Side, Step, steps
from corollary.core.randomness import generator
from corollary.core.suppose import handed

SEEDS = (0, 1, 2)  # what is drawn, beside the tight instances, to look for wrong steps


@dataclass(frozen=True)
class Link:
    """One step on numbers; for several entries, the median or the worst entry is shown."""

    left: str  # in LaTeX
    relation: str
    right: str
    by: str
    words: str  # before it
    values: tuple[float, float] | None  # None: both sides are symbolic
    slack: float  # what is left over, in units of the larger side; negative if it does not hold
    holds: bool
    begins: bool  # the first of its chain
    entries: int = 1  # how many numbers were compared


@dataclass(frozen=True)
class Break:
    """What dropping a hypothesis does to the proof."""

    hypothesis: str
    words: str  # what was given instead
    step: int | None  # the first step that does not hold; None if all do
    error: str = ""  # why the proof could not continue at that step


@dataclass(frozen=True, repr=False)
class Derivation:
    """A proof on one instance, without each hypothesis, and in the version of the notes."""

    name: str
    idea: str
    seed: int
    links: tuple[Link, ...]
    without: tuple[Break, ...] = ()
    printed: tuple[Link, ...] = ()  # the proof of the notes, where it has an error
    erratum: str = ""  # what the error is
    formal: str = ""  # where a formal proof is

    def __repr__(self) -> str:
        from corollary.report.proof import proof_text

        return proof_text(self)

    def _repr_html_(self) -> str:
        from corollary.report.proof import proof_cell

        return proof_cell(self)

    @property
    def holds(self) -> bool:
        """Whether every step holds."""
        return all(link.holds for link in self.links)

    @property
    def loosest(self) -> int | None:
        """The step with the largest slack; None if no step has slack."""
        spare = [0.0 if k.relation == "=" else k.slack for k in self.links]
        most = max(spare, default=0.0)
        return spare.index(most) if most > 1e-6 else None

    def to_json(self) -> dict[str, Any]:
        """Plain data with strict-JSON numbers; keys are the field names."""
        out = dataclasses.asdict(self)
        for link in (*out["links"], *out["printed"]):
            link["slack"] = to_json_number(link["slack"])
            link["values"] = link["values"] and [to_json_number(v) for v in link["values"]]
        return out | {"holds": self.holds, "loosest": self.loosest}


def derive(claim: Claim[Any], module: Any, *, seed: int = 0) -> Derivation:
    """Carry out the proof in ``module`` on what the claim draws, and without each hypothesis."""
    given = claim.draw(seed)
    idea, _, _ = (module.__doc__ or "").strip().partition("\n")
    printed = getattr(module, "as_printed", None)
    return Derivation(
        name=claim.name(),
        idea=idea,
        seed=seed,
        links=tuple(map(link, _steps(module.proof, claim, given))),
        without=tuple(_breaks(claim, module.proof, given, seed)),
        printed=tuple(_printed(claim, module)) if printed else (),
        erratum=_sentence(printed) if printed else "",
    )


def link(step: Step) -> Link:
    """Evaluate one step."""
    facts = (step.left.tex, step.relation, step.right.tex, step.by, step.words)
    if _symbolic(step.left) or _symbolic(step.right):
        true = _identical(step)
        return Link(*facts, None, 0.0 if true else -1.0, true, step.begins)
    left, right = _pair(step)
    if not bool((left.isfinite() & right.isfinite()).all()):
        return Link(*facts, (math.nan, math.nan), -math.inf, False, step.begins, left.numel())
    over, size = _over(step.relation, left, right), torch.maximum(left.abs(), right.abs())
    allowed = step.within * float(size.max()) + NOISE
    holds = bool((over >= -allowed).all())
    shown = _shown(step, left, over / size.clamp(min=1e-300), holds)
    slack = 0.0 if holds and step.relation == "=" else float(over[shown] / (size[shown] or 1.0))
    values = float(left[shown]), float(right[shown])
    return Link(*facts, values, slack, holds, step.begins, left.numel())


def _shown(step: Step, left: Tensor, slack: Tensor, holds: bool) -> int:
    """The entry to show: the worst, the largest for an equality, the median for a bound."""
    if not holds:
        return int(slack.argmin())
    if step.relation == "=":
        return int(left.abs().argmax())
    return int(slack.argsort()[(len(slack) - 1) // 2])


def mutants(step: Step) -> Iterator[tuple[str, Step]]:
    """The step with its sign, constant or exponent changed; each variant has to be refuted.

    The right side becomes harder to reach by a tenth (by more where a step says that it is loose,
    or true within an error), changes its sign, or is raised to another power. A right side that is
    0 has no constant: there the left side changes its sign.
    """
    if _symbolic(step.left) or _symbolic(step.right):
        changed: dict[str, Any] = {
            "constant": step.right.value * 11 / 10,
            "sign": -step.right.value,
        }
        yield from ((name, _reaching(step, value)) for name, value in changed.items())
        return
    left, right = _pair(step)
    step = _from(step, left)
    if not bool(right.any()):
        yield "sign", _from(step, -left)
        return
    factor = 1.1 * step.loose + 2 * step.within
    harder = right > 0 if step.relation == "≥" else right < 0
    near = torch.where(harder, right * factor, right / factor)
    yield "constant", _reaching(step, near)
    sign = torch.where(harder, -1.0, 1.0)  # of the side on which it matters
    yield "sign", _reaching(_from(step, sign * left), -sign * right)
    if _power_tells(step, left, right, near, factor):
        yield "exponent", _reaching(step, _other_power(step, right))


def instances(claim: Claim[Any], module: Any) -> Iterator[Any]:
    """The instances of a proof: draws, and instances at which steps are nearly attained."""
    yield from map(claim.draw, SEEDS)
    for function in (claim.tight, getattr(module, "tight", None)):
        if function is None:
            continue
        found = handed(function, claim, None, generator(0, claim.name(), "tight"))
        yield from found if isinstance(found, list) else [] if found is None else [found]


def on_instances(
    claim: Claim[Any], module: Any, proof: Callable[..., Proof] | None = None
) -> list[tuple[Step, ...]]:
    """The steps of the proof, or of another proof of the module, on each instance."""
    given = instances(claim, module)
    return [tuple(_steps(proof or module.proof, claim, one)) for one in given]


def _steps(proof: Callable[..., Proof], claim: Claim[Any], given: Any) -> Iterator[Step]:
    return steps(handed(proof, claim, given, generator(0, claim.name(), "proof")))


def _breaks(
    claim: Claim[Any], proof: Callable[..., Proof], given: Any, seed: int
) -> Iterator[Break]:
    for suppose, other in claim.broken(given, seed):
        step, error = _first_break(_steps(proof, claim, other))
        yield Break(suppose.sentence, suppose.words, step, error)


def _first_break(found: Iterable[Step]) -> tuple[int | None, str]:
    """The first step that does not hold, or that cannot be reached."""
    number = 0
    try:
        for number, step in enumerate(found):
            if not link(step).holds:
                return number, ""
    except (ArithmeticError, ValueError, RuntimeError, IndexError) as error:
        return number + 1, str(error).split("\n", 1)[0] or type(error).__name__
    return None, ""


def _printed(claim: Claim[Any], module: Any) -> list[Link]:
    """The chain of the notes, on the first instance that shows its error."""
    chains = (list(map(link, c)) for c in on_instances(claim, module, module.as_printed))
    first = next(chains)
    return next((c for c in (first, *chains) if not all(k.holds for k in c)), first)


def _sentence(function: Callable[..., Any]) -> str:
    return " ".join((function.__doc__ or "").split())


def _from(step: Step, value: Any) -> Step:
    return dataclasses.replace(step, left=Side(step.left.tex, value))


def _reaching(step: Step, value: Any) -> Step:
    return dataclasses.replace(step, right=Side(step.right.tex, value))


def _power_tells(step: Step, left: Tensor, right: Tensor, near: Tensor, factor: float) -> bool:
    """Whether another power changes an entry that is nearly attained: a power of 1 is 1."""
    size = right.abs()
    attained = (_over(step.relation, left, near) < 0) & (size > 1e-6 * size.max())
    far = size[attained].log().abs()
    return bool((far >= 2 * math.log(factor)).any())


def _other_power(step: Step, right: Tensor) -> Tensor:
    """Square or root of the size, whichever is harder to reach."""
    size, up = right.abs(), step.relation == "≥"
    grows = (size > 1) == (up == (right > 0))
    return right.sign() * torch.where(grows, size.square(), size.sqrt())


def _over(relation: str, left: Tensor, right: Tensor) -> Tensor:
    if relation == "=":
        return -(left - right).abs()
    return right - left if relation == "≤" else left - right


def _pair(step: Step) -> tuple[Tensor, Tensor]:
    """Both sides as numbers, entry by entry; a complex number is two of them."""
    left, right = _numbers(step.left.value), _numbers(step.right.value)
    if left.is_complex() or right.is_complex():
        both = (side.to(torch.complex128).resolve_conj() for side in (left, right))
        left, right = map(torch.view_as_real, both)
    left, right = torch.broadcast_tensors(left, right)
    return left.flatten().double(), right.flatten().double()


def _numbers(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value.detach()
    return torch.as_tensor(value, dtype=torch.complex128 if _complex(value) else torch.float64)


def _complex(value: Any) -> bool:
    return isinstance(value, complex)


def _symbolic(side: Side) -> bool:
    return hasattr(side.value, "free_symbols")


def _identical(step: Step) -> bool:
    """Whether the difference of two symbolic sides simplifies to nothing."""
    from sympy import simplify

    assert step.relation == "=", "an inequality is evaluated on numbers"
    return bool(simplify(step.left.value - step.right.value) == 0)
