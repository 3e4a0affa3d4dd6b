r"""Branch and bound on kinks: a proof or a counterexample.

If no bound on a margin is positive, some unit's interval reaches across its kink, and the truth
lies in one of two cases: it is on the left, or on the right. In each the unit is linear and the
intervals after it are narrower, so both bounds are better. Cases that are not settled are split
again, at the unit whose lines cost the bound most. Where all units are settled the margin is
linear, and multipliers of the cases bring the bound to its minimum. The point at which a bound is
attained is tried on the network itself: it may be a counterexample, which settles a sample too.

The two cases cover the network's value also as it is rounded, and every bound pays for its own
rounding: a proof holds for the network in real numbers and as it is computed.

:source: Bunel, Lu, Turkaslan, Torr, Kohli and Kumar (2020), "Branch and bound for piecewise linear
    neural network verification"; Wang et al. (2021), "Beta-CROWN".
"""

import math
from dataclasses import dataclass, field, replace
from functools import reduce

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_at_least, check_finite
from corollary.theory.robustness.balls import per_row
from corollary.theory.robustness.certificates.backward import ENTRIES
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.clock import now
from corollary.theory.robustness.certificates.elision import differences
from corollary.theory.robustness.certificates.nonlinear_steps import Kinked
from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rows import Rows
from corollary.theory.robustness.certificates.slopes import Slopes, climbed
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import is_fooled

BATCH = 128  # cases that are split at once
ROUNDS, LEAF_ROUNDS = 10, 100  # of climbing, for a case and for one in which all is linear
NEXT = 0.5  # the mark of the unit that is split next
INSIDE = 1 - 1e-6  # of the radius: points tried stay within the ball when they are rounded


@dataclass(frozen=True)
class Decision:
    """What became of each sample; what is neither proved nor broken is open."""

    proved: Bool[Tensor, " n"]  # no perturbation in the ball changes the class
    broken: Bool[Tensor, " n"]  # one does
    examples: Float[Tensor, "n *s"]  # it, where there is one; elsewhere the input itself
    split: Bool[Tensor, " n"]  # bounds alone did not do, some unit had to be split
    cases: int  # that were bounded

    def __repr__(self) -> str:
        counts = (int(part.sum()) for part in (self.proved, self.broken, self.open))
        proved, broken, left = counts
        return f"{proved} proved, {broken} broken, {left} open, from {self.cases} cases"

    @property
    def open(self) -> Bool[Tensor, " n"]:
        """Undecided when time or cases ran out."""
        return ~(self.proved | self.broken)


@dataclass(frozen=True)
class Cases:
    """Forms of margins under assumptions on units."""

    owner: Tensor  # sample of each
    form: Tensor  # coefficients of the outputs
    side: dict[int, Tensor]  # by kink: -1 or +1 where a side is assumed
    low: dict[int, Tensor]  # slopes to begin with
    push: dict[int, Tensor]
    bound: Tensor

    def take(self, which: Tensor) -> "Cases":
        """Some of them."""
        held = self.side, self.low, self.push
        side, low, push = ({k: t[which] for k, t in d.items()} for d in held)
        return Cases(self.owner[which], self.form[which], side, low, push, self.bound[which])

    def joined(self, other: "Cases") -> "Cases":
        """Both."""
        held = ((self.side, other.side), (self.low, other.low), (self.push, other.push))
        side, low, push = ({k: torch.cat([a[k], b[k]]) for k in a} for a, b in held)
        return Cases(
            torch.cat([self.owner, other.owner]),
            torch.cat([self.form, other.form]),
            side,
            low,
            push,
            torch.cat([self.bound, other.bound]),
        )


@dataclass
class Search:
    """A search over cases for all samples at once."""

    certifier: Certifier
    x: Tensor
    y: Tensor
    eps: Tensor
    until: float
    broken: Tensor = field(init=False)
    was_split: Tensor = field(init=False)
    stuck: Tensor = field(init=False)  # a case with nothing to split could not be settled
    examples: Tensor = field(init=False)
    cases: int = 0

    def __post_init__(self) -> None:
        n = len(self.x)
        self.broken = torch.zeros(n, dtype=torch.bool, device=self.x.device)
        self.stuck, self.was_split = self.broken.clone(), self.broken.clone()
        self.examples = self.x.clone()
        self.region = Region(self.x, self.eps, self.certifier.norm, self.certifier.box)
        self.steps, self.end = self.certifier.steps, self.certifier.tape.output
        self.base = self.certifier.intervals(self.region, "crown")
        self.kinks = {
            step.inputs[0]: index
            for index, step in enumerate(self.steps, start=1)
            if isinstance(step, Kinked) and step.free
        }

    def run(self, most: int, attack: bool) -> Decision:
        """Until all is decided, or time or cases have run out."""
        if not most >= 0:
            raise InputError(f"expected a number of cases that is 0 or more, got {most}")
        if attack:
            self.attack()
        left = self.settled(self.first())
        while len(left.owner) and self.cases < most and now() < self.until:
            order = left.bound.argsort(descending=True)  # nearest to a proof first
            some, rest = left.take(order[:BATCH]), left.take(order[BATCH:])
            self.was_split[some.owner] = True
            left = rest.joined(self.settled(both_sides(some)))
            left = left.take((~self.broken[left.owner] & ~self.stuck[left.owner]).nonzero()[:, 0])
        proved = ~self.broken & ~self.stuck
        proved[left.owner] = False
        return Decision(proved, self.broken, self.examples, self.was_split, self.cases)

    def attack(self) -> None:
        """What ascent by gradients finds needs no search."""
        box, outputs = self.certifier.box, self.certifier.outputs
        radius = per_row(self.eps, self.x) * INSIDE

        def moved(delta: Tensor) -> Tensor:
            there = self.x + radius * delta
            return there if box is None else there.clamp(*box)

        search = PGD(
            1.0,
            steps=30,
            norm=self.certifier.norm,
            box=None,
            start="zero",
            objective="margin",
            keep="best",
        )
        with torch.enable_grad():
            found = search.inputs(lambda d: outputs(moved(d)), torch.zeros_like(self.x), self.y)
        self.try_out(moved(found), torch.arange(len(self.x), device=self.x.device))

    def try_out(self, points: Tensor, owner: Tensor) -> None:
        """Points in the balls of their samples; the network itself decides."""
        fooled = is_fooled(self.certifier.outputs(points), self.y[owner])
        self.examples[owner[fooled]] = points[fooled]
        self.broken[owner[fooled]] = True

    def first(self) -> Cases:
        """One case for each margin, without assumptions."""
        rows = differences(self.base[self.end].lower, self.y)
        owner = torch.arange(len(self.x), device=self.x.device)
        owner = owner.repeat_interleave(len(rows.a) // len(self.x))
        keep = (~self.broken[owner]).nonzero()[:, 0]
        owner, form = owner[keep], rows.a[keep]
        values = {i: self.base[i].lower for i in self.kinks}
        nothing = {
            i: torch.zeros_like(value[:1]).expand(len(owner), *value.shape[1:])
            for i, value in values.items()
        }
        low = {i: t + math.nan for i, t in nothing.items()}  # none yet
        bound = torch.full((len(owner),), -math.inf, dtype=form.dtype, device=form.device)
        return Cases(owner, form, nothing, low, dict(nothing), bound)

    def settled(self, cases: Cases) -> Cases:
        """Bound them, and leave out what is proved or whose sample is decided."""
        width = max(v.lower[0].numel() for v in self.base)
        parts = torch.arange(len(cases.owner)).split(max(16, ENTRIES // (8 * width)))
        left = [self._settled(cases.take(part)) for part in parts if len(part)]
        return reduce(Cases.joined, left) if left else cases

    def _settled(self, cases: Cases) -> Cases:
        self.cases += len(cases.owner)
        known, empty = self.narrowed(cases)
        bound, slopes = self.climbed(cases, known, ROUNDS)
        bound = torch.where(empty, math.inf, bound)
        open_units = torch.zeros_like(empty)
        for crossing in slopes.crossing.values():
            open_units |= crossing.flatten(1).any(1)
        linear = ~(bound > 0) & ~open_units
        if bool(linear.any()):
            bound = self.leaves(cases, known, bound, linear)
        low = {i: slopes.low[k] for i, k in self.kinks.items()}
        push = {i: slopes.push[k] for i, k in self.kinks.items()}
        scores = {i: _scores(slopes, k, known[i]) for i, k in self.kinks.items()}
        side = marked(cases.side, scores)
        found = Cases(cases.owner, cases.form, side, low, push, bound)
        decided = self.broken[cases.owner] | self.stuck[cases.owner]
        return found.take((~(bound > 0) & ~decided).nonzero()[:, 0])  # NaN proves nothing

    def leaves(self, cases: Cases, known: list[Interval], bound: Tensor, stuck: Tensor) -> Tensor:
        """Cases in which all is linear: multipliers alone decide."""
        which = stuck.nonzero()[:, 0]
        some = cases.take(which)
        found, _ = self.climbed(some, [v.taken(which) for v in known], LEAF_ROUNDS)
        bound = bound.clone()
        bound[which] = torch.maximum(bound[which], found)
        self.stuck[some.owner[~(bound[which] > 0)]] = True
        return bound

    def climbed(self, cases: Cases, known: list[Interval], rounds: int) -> tuple[Tensor, Slopes]:
        """Bounds, and the slopes that gave them; points of least value are tried."""
        slopes = Slopes(self.steps, known, self.end, split=True)
        for i, index in self.kinks.items():
            begun = torch.where(cases.low[i].isnan(), slopes.low[index], cases.low[i])
            slopes.low[index].copy_(begun)
            slopes.push[index].copy_(cases.push[i])
            slopes.side[index].copy_(cases.side[i])
        slopes.put_back()
        region = self.region.rows(cases.owner)
        rows = Rows(cases.form, len(cases.owner))
        bound = climbed(
            self.steps,
            known,
            self.end,
            rows,
            region,
            slopes,
            rounds=rounds,
            goal=0.0,
            until=self.until,
        )
        if slopes.end is not None:
            a = slopes.end.dense().a.detach().view(len(cases.owner), *self.x.shape[1:])
            self.try_out(_least_point(a, region), cases.owner)
        return bound, slopes

    def narrowed(self, cases: Cases) -> tuple[list[Interval], Tensor]:
        """Intervals under the assumptions, and which cases cannot be."""
        known = [self.base[0].taken(cases.owner)]
        empty = torch.zeros_like(cases.owner, dtype=torch.bool)
        eps = self.eps[cases.owner]
        for index, step in enumerate(self.steps, start=1):
            old = self.base[index].taken(cases.owner)
            new = step.interval([known[i] for i in step.inputs], eps)
            low, high = torch.maximum(old.lower, new.lower), torch.minimum(old.upper, new.upper)
            if index in cases.side:
                side = cases.side[index]
                low = torch.where(side > 0, low.clamp_min(0.0), low)
                high = torch.where(side < 0, high.clamp_max(0.0), high)
            crossed = low > high
            empty |= crossed.flatten(1).any(1)
            middle = (low + high) / 2
            low, high = torch.where(crossed, middle, low), torch.where(crossed, middle, high)
            known.append(Interval(low, high, debt=new.debt))
        return known, empty


def _scores(slopes: Slopes, index: int, v: Interval) -> Tensor:
    """How much the lines of a unit cost the bound, where it is open."""
    lines = slopes.lines[index]
    assert lines.high_shift is not None
    if index in slopes.coefficients:
        a = slopes.coefficients[index].view_as(v.lower)
    else:  # forms end above, at a softmax say: a split still narrows the intervals in between
        a = -torch.ones_like(v.lower)
    low = slopes.low[index]
    below = torch.minimum(low * -v.lower, (1 - low) * v.upper)
    cost = -a.clamp_max(0) * lines.high_shift + a.clamp_min(0) * below
    return torch.where(slopes.crossing[index], cost + 1e-30, -1.0)


def marked(side: dict[int, Tensor], scores: dict[int, Tensor]) -> dict[int, Tensor]:
    """The sides of units, and ``NEXT`` for the one of each case whose score is largest."""
    if not scores:
        return side
    best = torch.cat([t.flatten(1) for t in scores.values()], 1).argmax(1)
    found, offset = {}, 0
    for i, t in scores.items():
        width = t[0].numel()
        rows = ((best >= offset) & (best < offset + width)).nonzero()[:, 0]
        flat = side[i].flatten(1).clone()
        flat[rows, best[rows] - offset] = NEXT
        found[i], offset = flat.view_as(t), offset + width
    return found


def both_sides(cases: Cases) -> Cases:
    """Each case twice: with the marked unit on the left, and on the right."""
    sides = ({i: s.masked_fill(s == NEXT, sign) for i, s in cases.side.items()} for sign in (-1, 1))
    one, other = (replace(cases, side=side) for side in sides)
    return one.joined(other)


def _least_point(a: Tensor, region: Region) -> Tensor:
    """The point of the ball at which a form is least, as far as the box lets it."""
    eps = per_row(region.eps, region.x) * INSIDE
    if region.norm == "linf":
        there = region.x - eps * a.sign()
    else:
        length = per_row(torch.linalg.vector_norm(a.flatten(1), dim=1).clamp_min(1e-30), a)
        there = region.x - eps * a / length
    return there if region.box is None else there.clamp(*region.box)


def decided(
    certifier: Certifier,
    x: Float[Tensor, "n *s"],
    y: Int[Tensor, " n"] | Float[Tensor, " n"],
    eps: float | int | Float[Tensor, " n"],
    *,
    seconds: float | int = 60,
    cases: int = 100_000,
    attack: bool = True,
) -> Decision:
    """Search until every sample is proved or broken, or time or cases have run out.

    Only kinks (ReLU and its kind) are split, so networks with other bends may stay open. The time
    is asked for after each batch of cases. Without ``attack`` only points that bounds point to are
    tried.

    Example:
        >>> net = torch.nn.Sequential(
        ...     torch.nn.Linear(1, 2), torch.nn.ReLU(), torch.nn.Linear(2, 2))
        >>> with torch.no_grad():  # logits 1 and |x|
        ...     _ = net[0].weight.copy_(torch.tensor([[1.0], [-1.0]]))
        ...     _ = net[0].bias.zero_()
        ...     _ = net[2].weight.copy_(torch.tensor([[0.0, 0.0], [1.0, 1.0]]))
        ...     _ = net[2].bias.copy_(torch.tensor([1.0, 0.0]))
        >>> x, y = torch.zeros(2, 1), torch.tensor([0, 0])
        >>> found = decided(Certifier(net, x), x, y, torch.tensor([0.9, 1.1]))
        >>> found.proved.tolist(), found.broken.tolist()
        ([True, False], [False, True])
    """
    check_finite("x", x)
    check_at_least("seconds", seconds, 0)
    check_at_least("cases", cases, 0)
    until = now() + float(seconds)
    with torch.no_grad(), torch.backends.nnpack.flags(enabled=False):
        search = Search(certifier, x, y, certifier.radii(x, eps), until)
        return search.run(cases, attack)
