r"""Certified margins and radii of any module that can be read as a tape.

Five bounds on the margin :math:`\min_{x'}f_y(x')-f_j(x')` over a ball, each sound, each dearer
than the one before and as a rule tighter:

* ``ibp``: intervals from layer to layer, then the last affine layers merged with the difference;
* ``crown-ibp``: one linear form of the input below the margin, with the intervals as they are;
* ``crown``: the same with every interval before a bend improved by linear forms of its own;
* ``alpha-crown``: the lines below kinks chosen anew for every margin, by gradients;
* ``full-alpha-crown``: chosen for every end of an unsettled interval too.

If all margins are positive, no perturbation in the ball changes the class. Every interval keeps the
better of what intervals and forms say, so the others are never below ``ibp``. The arithmetic is
that of the module's number type, and rounding is paid for: a bound holds for the module in real
numbers and as it is computed, whatever the order of its sums
(:mod:`~corollary.theory.robustness.certificates.rounding`).

:source: Gowal et al. (2018), "On the effectiveness of interval bound propagation for training
    verifiably robust models"; Zhang et al. (2018), "Efficient neural network robustness
    certification with general activation functions"; Zhang et al. (2020), "Towards stable and
    efficient training of verifiably robust neural networks", for CROWN-IBP.
"""

import math
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_at_least, check_finite
from corollary.theory.robustness.attack import Box, check_box, check_inputs
from corollary.theory.robustness.balls import Norm, check_ball
from corollary.theory.robustness.certificates.backward import improved, lowest
from corollary.theory.robustness.certificates.clock import now
from corollary.theory.robustness.certificates.elision import differences, short_margins
from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rules import steps
from corollary.theory.robustness.certificates.script import read
from corollary.theory.robustness.certificates.slopes import Slopes, apart, climbed, sharpened

Method = Literal["ibp", "crown-ibp", "crown", "alpha-crown", "full-alpha-crown"]
METHODS: tuple[Method, ...] = get_args(Method)
BLOCK = 256  # samples that are bounded together
FEW = 8  # samples that are enough to tell how long many take
CLIMBS = 60  # backward passes that choosing slopes costs
EARLIER = 0.1  # share of a backward pass that forms of earlier layers cost, settled ones left out


class Certifier:
    """Bounds for one module, which is read once.

    Args:
        model: A module of one input that returns logits (n, k), or one score per row.
        x: Inputs, of which only shape and number type matter.
        norm: ``linf`` or ``l2``.
        box: Valid inputs; None if every number is valid.

    Raises:
        NotApplicableError: for an operation that has no bounds; it is named with its layer.

    Example:
        >>> net = nn.Linear(2, 2, bias=False)
        >>> with torch.no_grad():
        ...     _ = net.weight.copy_(torch.tensor([[0.0, 0.0], [1.0, -2.0]]))
        >>> certify = Certifier(net, torch.zeros(1, 2), norm="linf")
        >>> x, y = torch.tensor([[1.0, 0.0]]), torch.tensor([1])
        >>> round(certify.margins(x, y, 0.25).item(), 4)  # 1 - 0.25 * 3
        0.25
        >>> round(certify.radius(x, y, most=1.0).item(), 2)  # 1 / 3
        0.33
    """

    def __init__(
        self, model: nn.Module, x: Tensor, *, norm: Norm = "linf", box: Box = None
    ) -> None:
        check_ball(0.0, norm)
        check_box(box)
        if not isinstance(x, Tensor) or x.dtype not in (torch.float32, torch.float64):
            raise InputError("certificates need inputs of real numbers, float32 or float64")
        self.norm, self.box = norm, box
        self.tape = read(model, x)
        with torch.no_grad():
            self.steps = steps(self.tape, x)

    def __repr__(self) -> str:
        return f"certifier for {self.norm} balls, {len(self.steps)} operations"

    def outputs(self, x: Float[Tensor, "n *s"]) -> Float[Tensor, "n *k"]:
        """The module's outputs, by the tape."""
        values = [x]
        for step in self.steps:
            values.append(step.call(*[values[i] for i in step.inputs]))
        return values[self.tape.output]

    @torch.no_grad()
    def margins(
        self,
        x: Float[Tensor, "n *s"],
        y: Int[Tensor, " n"] | Float[Tensor, " n"],
        eps: float | int | Float[Tensor, " n"],
        method: Method = "crown",
    ) -> Float[Tensor, " n"]:
        """A lower bound on the smallest margin against any other class, over each ball."""
        check_inputs(x, y, self.box)
        eps = self.radii(x, eps)
        with torch.backends.nnpack.flags(enabled=False):  # see rounding
            found = [
                self._block(x[i : i + BLOCK], y[i : i + BLOCK], eps[i : i + BLOCK], method)
                for i in range(0, len(x), BLOCK)
            ]
        return torch.cat(found)

    @torch.no_grad()
    def gaps(
        self, x: Float[Tensor, "n *s"], y: Int[Tensor, " n"] | Float[Tensor, " n"]
    ) -> Float[Tensor, "n j"]:
        """The margins at the inputs themselves against each other class, rounded down."""
        region = Region(x, self.radii(x, 0.0), self.norm, self.box)
        with torch.backends.nnpack.flags(enabled=False):
            known = self.intervals(region, "ibp")
            rows = differences(known[self.tape.output].lower, y)
            return lowest(self.steps, known, self.tape.output, rows, region).view(len(x), -1)

    def bounds(
        self, x: Float[Tensor, "n *s"], eps: float | int, method: Method = "crown"
    ) -> tuple[Float[Tensor, "n *k"], Float[Tensor, "n *k"]]:
        """Lower and upper bounds of every output over each ball."""
        with torch.no_grad(), torch.backends.nnpack.flags(enabled=False):
            region = Region(x, self.radii(x, eps), self.norm, self.box)
            known = self.intervals(region, method)
            end = known[self.tape.output]
            if method == "ibp" or end.exact:
                return end.lower, end.upper
            forms = improved(self.steps, known, self.tape.output, region, every=True)
            return forms.lower, forms.upper

    def radius(
        self,
        x: Float[Tensor, "n *s"],
        y: Int[Tensor, " n"] | Float[Tensor, " n"],
        method: Method = "crown",
        *,
        most: float | int | Float[Tensor, " n"],
        halvings: int = 10,
        tolerance: float | int = 0.01,
    ) -> Float[Tensor, " n"]:
        """The largest radius found to be certified, up to ``most``; 0 for a wrong answer.

        By bisection, all samples at once, each with a radius of its own. Every radius returned
        was itself certified.
        """
        check_finite("x", x)
        check_at_least("tolerance", tolerance, 0)
        high, low = self.radii(x, most), torch.zeros(len(x), dtype=x.dtype, device=x.device)
        open_ = self.margins(x, y, 0.0, "ibp") > 0  # at radius 0 intervals are exact
        trial = high.clone()
        for k in range(halvings + 1):
            rows = (open_ & (high - low > tolerance * high)).nonzero()[:, 0]
            if len(rows) == 0:
                break
            good = self.margins(x[rows], y[rows], trial[rows], method) > 0
            low[rows[good]], high[rows[~good]] = trial[rows[good]], trial[rows[~good]]
            if k == 0:
                open_[rows[good]] = False  # certified to the end of the range
            trial = torch.where(low > 0, (low * high).sqrt(), high / 4)
        return low

    def trial_seconds(
        self, x: Float[Tensor, "n *s"], y: Tensor, eps: Float[Tensor, " n"], method: Method
    ) -> float:
        """About how long one round of :meth:`margins` takes.

        From a few samples; for what may take hours, from the forms of ``crown-ibp``.
        """
        n = min(len(x), FEW)
        start = now()
        cheap = method in ("ibp", "crown-ibp")
        self.margins(x[:n], y[:n], eps[:n], method if cheap else "crown-ibp")
        seconds = (now() - start) * len(x) / n
        if cheap:
            return seconds
        with torch.no_grad():
            known = self.intervals(Region(x[:1], eps[:1], self.norm, self.box), "ibp")
        bends = {i for step in self.steps if not step.affine for i in step.inputs}
        entries = sum(known[i].lower.numel() for i in bends if not known[i].exact)
        forms = max(1, math.prod(self.tape.value_shape(self.tape.output)) - 1)
        climbs = 0 if method == "crown" else CLIMBS
        return seconds * (1 + climbs + EARLIER * 2 * entries / forms)

    @staticmethod
    def radii(x: Tensor, eps: float | int | Tensor) -> Tensor:
        """One radius per sample in the number type of x, rounded up."""
        given = torch.as_tensor(eps, dtype=None if isinstance(eps, Tensor) else torch.float64)
        given = given.cpu() if given.is_floating_point() else given.cpu().double()
        if not bool(((given >= 0) & (given < math.inf)).all()):
            raise InputError("radii must be numbers >= 0")
        radii = given.to(x.dtype)
        larger = torch.nextafter(radii, torch.full_like(radii, math.inf))
        return torch.where(radii < given, larger, radii).to(x.device).expand(len(x)).clone()

    def _block(self, x: Tensor, y: Tensor, eps: Tensor, method: Method) -> Tensor:
        if method not in METHODS:
            raise InputError(f"expected method to be one of {', '.join(METHODS)}, got '{method}'")
        region = Region(x, eps, self.norm, self.box)
        known = self.intervals(region, method)
        short = short_margins(self.steps, known, self.tape.output, y, region)
        if method == "ibp":
            return short.amin(1)
        rows = differences(known[self.tape.output].lower, y)
        deep = lowest(self.steps, known, self.tape.output, rows, region)
        short = torch.maximum(short.flatten(), deep)
        if method.endswith("alpha-crown"):
            known, rows, region = apart(known, rows, region)
            slopes = Slopes(self.steps, known, self.tape.output)
            best = climbed(self.steps, known, self.tape.output, rows, region, slopes)
            short = torch.maximum(short, best)
        return short.view(len(x), -1).amin(1)

    def intervals(self, region: Region, method: Method) -> list[Interval]:
        """An interval for every value of the tape."""
        known = [region.interval()]
        bend = {i for step in self.steps if not step.affine for i in step.inputs}
        for index, step in enumerate(self.steps, start=1):
            known.append(step.interval([known[i] for i in step.inputs], region.eps))
            if method in ("ibp", "crown-ibp") or index not in bend or known[index].exact:
                continue
            known[index] = improved(self.steps, known, index, region)
            if method == "full-alpha-crown":
                known[index] = sharpened(self.steps, known, index, region)
        return known
