r"""The largest curvature along a training run, against the step that is taken.

Full-batch gradient descent with step :math:`\eta` first sharpens the loss until
:math:`\lambda_{\max}` reaches :math:`2/\eta`, then hovers there while the loss goes on falling:
the edge of stability.

:source: Cohen, Kaur, Li, Kolter and Talwalkar (2021), "Gradient descent on neural networks
    typically occurs at the edge of stability".
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.landscape.curvature.extremes import extreme_eigenvalues
from corollary.theory.landscape.curvature.interval import Estimate
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.seeding import as_generator


class Sharpening(NamedTuple):
    """One reading of the trace."""

    step: int
    lambda_max: Estimate
    eta: float  # the step size in force

    def __repr__(self) -> str:
        return (
            f"step {self.step}: learning rate {self.eta:.4g}, largest eigenvalue "
            f"{self.lambda_max}; "
            f"their product over 2 is {self.ratio:.3g}, and 1 is the edge of stability"
        )

    @property
    def ratio(self) -> float:
        r""":math:`\eta\,\lambda_{\max}/2`; 1 is the edge."""
        return self.eta * self.lambda_max.value / 2


class EdgeOfStability:
    r"""Reads :math:`\lambda_{\max}` every so many steps; a callback of ``corollary.train.fit``.

    Pass it among the callbacks (it then also records ``lambda_max`` and ``stability`` in the
    run's history), or call :meth:`read` from a loop of your own.

    Args:
        loss: As for :class:`Landscape`.
        data: The data whose loss is meant; a fixed part of the training set will do.
        every: Steps between readings.
        rtol: Width of the intervals.
        rng: Of the start vectors.

    Example:
        >>> import torch
        >>> model = nn.Linear(1, 1, bias=False)
        >>> trace = EdgeOfStability(nn.MSELoss(), (torch.ones(4, 1), torch.zeros(4, 1)))
        >>> round(trace.read(model, step=0, eta=0.5).ratio, 6)  # 0.5 * 2 / 2
        0.5
    """

    def __init__(
        self,
        loss: Callable[..., Tensor],
        data: Any,
        *,
        every: int = 10,
        rtol: float = 0.05,
        rng: int | Generator = 0,
    ) -> None:
        if every < 1:
            raise InputError(f"every must be at least 1, got {every}")
        self.loss, self.data, self.every, self.rtol = loss, data, every, rtol
        self.rng = as_generator(rng)
        self.readings: list[Sharpening] = []

    def read(self, module: nn.Module, *, step: int, eta: float) -> Sharpening:
        """Measure now."""
        landscape = Landscape(module, self.loss, self.data)
        top = extreme_eigenvalues(landscape, rtol=self.rtol, rng=self.rng).largest
        self.readings.append(Sharpening(step, top, eta))
        return self.readings[-1]

    def on_step(self, loop: Any) -> None:
        """Called by the trainer after each update."""
        if loop.step % self.every == 0:
            eta = max(float(group["lr"]) for group in loop.optimizer.param_groups)
            reading = self.read(loop.model, step=loop.step, eta=eta)
            loop.record("lambda_max", reading.lambda_max.value)
            loop.record("stability", reading.ratio)

    @property
    def at_the_edge(self) -> bool:
        """Whether the last readings (up to 5) lie within 20 % of the edge."""
        last = self.readings[-5:]
        return bool(last) and all(0.8 <= r.ratio <= 1.2 for r in last)
