r"""A verdict on a property: attack, bounds, then branch and bound until the time ends.

Outputs are unsafe if :math:`Ay\le b`, that is, if the largest entry of :math:`Ay-b` is at most 0.
Gradient descent on it looks for a counterexample; a positive lower bound of one entry over a box
excludes all of its inputs. Boxes of few inputs are cut in two along the input that changes the
entries most; networks of many inputs are split at units whose sign is open.

:source: Wang, Pei, Whitehouse, Yang and Jana (2018), "Formal security analysis of neural networks
    using symbolic intervals"; Bunel et al. (2020), "Branch and bound for piecewise linear neural
    network verification".
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.robustness.certificates.branching import decided
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.clock import now
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.verification.properties import Case, nonempty

FEW = 20  # inputs up to which boxes are cut; beyond, units are split
BATCH = 512  # boxes that are bounded at once
STARTS, STEPS = 64, 60  # of the attack
WIDER = 1 + 1e-9  # of a box: its middle in other units is rounded
Check = Callable[[Tensor], bool]


@dataclass(frozen=True)
class Verdict:
    """``sat`` with a counterexample, ``unsat`` (none exists), or ``unknown``."""

    name: str
    example: Tensor | None = None  # inputs, one row
    boxes: int = 0  # boxes and cases that were bounded

    def __str__(self) -> str:
        return self.name


class Unsafe(nn.Module):
    """The largest entry of Ay - b, or all of them, for inputs in units of a box's radii."""

    radii: Tensor

    def __init__(self, net: nn.Module, case: Case, radii: Tensor, *, largest: bool) -> None:
        super().__init__()
        self.net, self.largest = net, largest
        self.register_buffer("radii", radii)
        self.rows = nn.Linear(case.A.shape[1], len(case.A), dtype=case.A.dtype)
        self.rows.weight = nn.Parameter(case.A, requires_grad=False)
        self.rows.bias = nn.Parameter(-case.b, requires_grad=False)

    def forward(self, w: Tensor) -> Tensor:
        """The entries of some rows of inputs."""
        z: Tensor = self.rows(self.net(w * self.radii))
        if not self.largest:
            return z
        top = z[:, :1]
        for i in range(1, z.shape[1]):  # the maximum by kinks that can be split
            top = top + torch.relu(z[:, i : i + 1] - top)
        return top


def verify(net: nn.Module, cases: list[Case], check: Check, *, seconds: float = 60.0) -> Verdict:
    """Whether some input makes the outputs unsafe.

    Args:
        net: A module in float64 of rows of inputs (n, d), with outputs (n, k).
        cases: The ways to violate the property.
        check: Whether a row of inputs is a counterexample for the network as it is deployed.
        seconds: The time limit.

    Example:
        >>> from corollary.theory.robustness.verification.properties import Case
        >>> net = nn.Sequential(nn.Linear(1, 1, bias=False), nn.ReLU()).double()
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> case = Case(-one, one, torch.tensor([[1.0]]).double(), -one)  # y <= -1
        >>> print(verify(net, [case], lambda x: False))
        unsat
    """
    if not seconds > 0:
        raise InputError(f"expected seconds above 0, got {seconds}")
    until, boxes, left = now() + seconds, 0, False
    held = list(nonempty(cases))
    for k, case in enumerate(held):
        ends = now() + (until - now()) / (len(held) - k)  # what is left, in equal shares
        found = _decided(net, case, check, ends)
        boxes += found.boxes
        if found.example is not None:
            return Verdict("sat", found.example, boxes)
        left = left or found.name == "unknown"
    return Verdict("unknown" if left else "unsat", None, boxes)


def _decided(net: nn.Module, case: Case, check: Check, until: float) -> Verdict:
    example = _attacked(net, case, check)
    if example is not None:
        return Verdict("sat", example)
    if len(case.A) == 0:  # no row: every input of the box is a counterexample
        return Verdict("unknown")
    return (_cut if len(case.lower) <= FEW else _split)(net, case, check, until)


def _attacked(net: nn.Module, case: Case, check: Check) -> Tensor | None:
    """By our PGD from many starts, on the largest entry."""
    middle, radii = (case.lower + case.upper) / 2, (case.upper - case.lower) / 2
    if len(case.A) == 0:
        return middle if check(middle) else None
    unsafe = Unsafe(net, case, torch.ones_like(radii), largest=True)

    def inside(delta: Tensor) -> Tensor:
        return torch.minimum(torch.maximum(middle + radii * delta, case.lower), case.upper)

    start = middle.new_zeros(STARTS, len(middle))
    search = PGD(1.0, steps=STEPS, box=None, objective="margin", keep="best")
    moved = search.inputs(lambda d: unsafe(inside(d)), start, torch.ones(STARTS, dtype=torch.long))
    return _first(inside(moved), unsafe, check)


def _first(points: Tensor, unsafe: nn.Module, check: Check) -> Tensor | None:
    """The most unsafe of some points that is a counterexample."""
    with torch.no_grad():
        value = unsafe(points).amax(1)
    for i in value.argsort()[:4].tolist():
        if float(value[i]) <= 1e-6 and check(points[i]):
            return points[i]
    return None


def _cut(net: nn.Module, case: Case, check: Check, until: float) -> Verdict:
    """Cut boxes in two until each is excluded; boxes of one shape are bounded together."""
    unit = Unsafe(net, case, torch.ones_like(case.lower), largest=False)
    middles = ((case.lower + case.upper) / 2)[None]
    waiting = {tuple([0] * len(case.lower)): middles}  # by how often each input was halved
    first, boxes = (case.upper - case.lower) / 2, 0
    while waiting and now() < until:
        shape = min(waiting, key=sum)
        some, rest = waiting[shape][:BATCH], waiting[shape][BATCH:]
        waiting.pop(shape)
        if len(rest):
            waiting[shape] = rest
        radii = first / 2.0 ** torch.tensor(shape, dtype=first.dtype)
        open_, order = _excluded(net, case, some, radii)
        boxes += len(some)
        if len(open_) == 0:
            continue
        example = _first(open_, unit, check)
        if example is not None:
            return Verdict("sat", example, boxes)
        _halve(open_, order, radii, shape, waiting)
    return Verdict("unknown" if waiting else "unsat", None, boxes)


def _excluded(net: nn.Module, case: Case, middles: Tensor, radii: Tensor) -> tuple[Tensor, Tensor]:
    """The middles of boxes that no row excludes, and the input along which each is cut."""
    scale = radii.clamp(min=1e-12)  # an input that is one number stays one
    eps = WIDER if bool((radii > 0).all()) else 1.0
    unsafe = Unsafe(net, case, scale, largest=False)
    certifier = Certifier(unsafe, middles[:1] / scale)
    lower, _ = certifier.bounds(middles / scale, eps, "crown")
    left = middles[(lower <= 0).all(1)]
    if len(left) == 0:
        return left, left
    x = (left / scale).requires_grad_(True)
    with torch.enable_grad():
        z = unsafe(x)
        rise = sum(
            torch.autograd.grad(z[:, i].sum(), x, retain_graph=True)[0].abs()
            for i in range(z.shape[1])
        )
    assert isinstance(rise, Tensor), "there is at least one row"
    return left, (rise + 1e-9 * radii).argmax(1)  # the change across the box, as bounds see it


def _halve(
    middles: Tensor,
    along: Tensor,
    radii: Tensor,
    shape: tuple[int, ...],
    waiting: dict[tuple[int, ...], Tensor],
) -> None:
    for i in along.unique().tolist():
        some = middles[along == i]
        step = torch.zeros_like(radii)
        step[i] = radii[i] / 2
        halves = torch.cat([some - step, some + step])
        finer = tuple(n + (j == i) for j, n in enumerate(shape))
        waiting[finer] = torch.cat([waiting[finer], halves]) if finer in waiting else halves


def _split(net: nn.Module, case: Case, check: Check, until: float) -> Verdict:
    """Bounds, then splits of units whose sign is open."""
    middle, radii = (case.lower + case.upper) / 2, (case.upper - case.lower) / 2
    scale = radii.clamp(min=1e-12)
    unsafe = Unsafe(net, case, scale, largest=True)
    x = (middle / scale)[None]
    left = max(until - now(), 0.0)  # the attack may have taken all of it
    label = torch.ones(1, dtype=torch.long)
    found = decided(Certifier(unsafe, x), x, label, WIDER, seconds=left)
    if bool(found.proved[0]):
        return Verdict("unsat", None, found.cases)
    if bool(found.broken[0]):
        point = torch.minimum(torch.maximum(found.examples[0] * scale, case.lower), case.upper)
        if check(point):
            return Verdict("sat", point, found.cases)
    return Verdict("unknown", None, found.cases)
