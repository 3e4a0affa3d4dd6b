r"""Certified training: the loss of a batch is bounded over the balls around its inputs.

An attack finds a loss that some perturbation attains; a bound finds one that none exceeds. With the
worst logits :math:`\hat z(\epsilon)` that intervals allow, training minimises

.. math:: \kappa_t\,\ell(f(x),y)+(1-\kappa_t)\,\ell(\hat z(\epsilon_t),y),\qquad
   \epsilon_t=p_t\epsilon,\quad\kappa_t=1-p_t(1-\kappa),

where :math:`p_t` is 0 while the network warms up, then rises to 1 along a line: intervals of an
untrained network are so wide that at full radius it would learn to say nothing. CROWN-IBP
mixes linear bounds into the intervals, with the share :math:`1-p_t`: they are tighter while the
network is not yet made for intervals.

:source: Gowal et al. (2018), "On the effectiveness of interval bound propagation for training
    verifiably robust models", Section 3, and Section 4 for the schedules; Zhang et al. (2020),
    "Towards stable and efficient training of verifiably robust neural networks", for the mixture.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_at_least
from corollary.theory.robustness.attack import Box, check_box
from corollary.theory.robustness.balls import Norm, check_ball
from corollary.theory.robustness.certificates.live import LiveBounds
from corollary.train.clock import present_step
from corollary.train.objective import Loss, compare
from corollary.train.preparation import check_whole


@dataclass(frozen=True)
class Certified:
    """How a batch is valued: the loss at its inputs, and at the worst that bounds allow.

    For the option ``call`` of :func:`corollary.train.fit`, which says at which step of the run it
    is; in a loop of your own :meth:`value` is told. The loss is one of logits and labels that
    depends on differences of logits, such as cross entropy, or one of a single score and labels -1
    and +1. With intervals a step costs two to three times one of standard training. The bounds are
    those of the network in evaluation mode.

    Args:
        eps: Radius at the end.
        warmup: Steps of standard training before the radius begins to grow.
        ramp: Steps in which radius and share of the bound grow to their last values.
        kappa: Weight of the loss at the inputs themselves, at the end.
        method: ``ibp``, or ``crown-ibp`` for linear bounds that give way to intervals; these cost
            a backward pass per class.
        norm: ``linf`` or ``l2``.
        box: Valid inputs; None if every number is valid.
        call: How the loss at the inputs themselves is had.

    Example:
        >>> import torch
        >>> from corollary.train import fit
        >>> line = nn.Linear(2, 1, bias=False).double()
        >>> _ = line.weight.data.fill_(1.0)
        >>> x, y = torch.tensor([[3.0, 1.0], [-3.0, -1.0]]).double(), torch.tensor([1.0, -1.0])
        >>> logistic = lambda out, y: nn.functional.softplus(-y * out[:, 0]).mean()
        >>> sgd = lambda p: torch.optim.SGD(p, lr=0.1)
        >>> call = Certified(2.0, kappa=0.0, box=None)
        >>> _ = fit(line, (x, y.double()), logistic, sgd, steps=200, call=call)
        >>> bool(line.weight[0, 0] > 1), bool(abs(line.weight[0, 1]) < 0.1)  # 1 < eps: dropped
        (True, True)
    """

    eps: float | int
    warmup: int = 0
    ramp: int = 0
    kappa: float | int = 0.5
    method: Literal["ibp", "crown-ibp"] = "ibp"
    norm: Norm = "linf"
    box: Box = (0.0, 1.0)
    call: Callable[..., Any] = compare
    _read: list[LiveBounds] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_ball(self.eps, self.norm)
        check_box(self.box)
        check_whole("warmup", self.warmup, 0)
        check_whole("ramp", self.ramp, 0)
        if not 0 <= self.kappa <= 1:
            raise InputError(f"expected a kappa between 0 and 1, got {self.kappa}")
        if self.method not in ("ibp", "crown-ibp"):
            raise InputError(f"expected method to be 'ibp' or 'crown-ibp', got '{self.method}'")

    def progress(self, step: int) -> float:
        """How far the radius has grown when so many updates are done, from 0 to 1.

        Example:
            >>> [Certified(0.1, warmup=10, ramp=20).progress(t) for t in (0, 10, 20, 30, 99)]
            [0.0, 0.0, 0.5, 1.0, 1.0]
        """
        check_at_least("step", step, 0)
        if step < self.warmup or self.ramp == 0:
            return float(step >= self.warmup)
        return min(1.0, (step - self.warmup) / self.ramp)

    def __call__(self, model: nn.Module, loss: Loss, *batch: Tensor) -> Any:
        """The value at the present step of the run; the last one outside of a run."""
        if len(batch) != 2:
            raise InputError(
                f"certified training needs batches of inputs and labels, got {len(batch)} tensors"
            )
        return self.value(model, loss, *batch, step=present_step())

    def value(
        self, model: nn.Module, loss: Loss, x: Tensor, y: Tensor, *, step: int | None = None
    ) -> Any:
        """The value when so many updates are done; None for the end of the schedules.

        Example:
            >>> import torch
            >>> line = nn.Linear(1, 1, bias=False)
            >>> _ = line.weight.data.fill_(2.0)
            >>> hinge = lambda out, y: (1 - y * out[:, 0]).clamp_min(0).mean()
            >>> call = Certified(1.0, warmup=5, kappa=0.25, box=None)
            >>> x, y = torch.tensor([[1.0]]), torch.tensor([1.0])
            >>> values = [call.value(line, hinge, x, y, step=t).item() for t in (4, 5)]
            >>> [round(v, 3) for v in values]  # 0, then 0.75 times 1
            [0.0, 0.75]
        """
        p = 1.0 if step is None else self.progress(step)
        kappa = 1 - p * (1 - self.kappa)
        if kappa == 1 or self.eps == 0:
            return self.call(model, loss, x, y)
        mix = 1 - p if self.method == "crown-ibp" else 0.0
        worst = loss(self._bounds(model, x).worst(x, y, p * self.eps, mix=mix), y)
        if kappa == 0:
            return worst
        return _mixed(self.call(model, loss, x, y), worst, kappa)

    def _bounds(self, model: nn.Module, x: Tensor) -> LiveBounds:
        """Of the module, which is read when it is first seen."""
        if not self._read or not self._read[0].serves(model, x):
            self._read[:] = [LiveBounds(model, x, norm=self.norm, box=self.box)]
        return self._read[0]


def _mixed(clean: Any, worst: Any, kappa: float) -> Any:
    """Means, or sums with one count."""
    if isinstance(clean, tuple):
        return kappa * clean[0] + (1 - kappa) * worst[0], clean[1]
    return kappa * clean + (1 - kappa) * worst
