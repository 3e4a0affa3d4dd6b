r"""The noise of a stochastic gradient, exactly.

With an index I uniform on :math:`\{1,\dots,n\}` the gradient :math:`\nabla f_I` is unbiased, and

.. math:: \operatorname{var}(x)=\mathbb E\|\nabla f_I-\nabla f\|^2
   =\frac1n\sum_i\|\nabla f_i\|^2-\|\nabla f\|^2 .

The mean of r draws has variance :math:`\operatorname{var}/r` with replacement, and
:math:`\frac{\operatorname{var}}r\frac{n-r}{n-1}` without.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7; Perez Jensen (2025), Deep
    Learning, Section 3.4.
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum
from corollary.theory.prerequisites.wellformed import check_finite, check_positive


class GradientNoise(NamedTuple):
    """Mean and variance of a mini-batch gradient."""

    mean: Float[Tensor, "*r d"]
    variance: Float[Tensor, "*r"]  # expected squared distance from the mean


class StepDecomposition(NamedTuple):
    """What one step of SGD does to the expected squared distance to a point."""

    before: Float[Tensor, "*r"]
    progress: Float[Tensor, "*r"]  # -2 eta (x - x*)^T grad f
    variance: Float[Tensor, "*r"]  # eta^2 E ||grad f_i||^2

    @property
    def after(self) -> Float[Tensor, "*r"]:
        """The expectation after the step."""
        return self.before + self.progress + self.variance


def gradient_noise(
    problem: FiniteSum, x: Float[Tensor, "*r d"], batch: int = 1, *, replacement: bool = True
) -> GradientNoise:
    """Mean and variance of the mean gradient of ``batch`` draws at each point.

    Memory and time: points times n times d.

    Example:
        >>> import torch
        >>> from corollary.theory.optimization.stochastic.finite_sums import squares
        >>> o = squares(torch.ones(2, 1).double(), torch.tensor([0.0, 2.0]).double())
        >>> x = torch.tensor([1.0], dtype=torch.float64)  # gradients 1 and -1
        >>> gradient_noise(o, x, 2).variance.item(), gradient_noise(o, x).mean.item()
        (0.5, 0.0)

    :covers: sgd-unbiased-variance
    """
    if batch < 1 or (not replacement and batch > problem.n):
        limit = "" if replacement else f" and at most n = {problem.n} without replacement"
        raise InputError(f"batch must be at least 1{limit}, got {batch}")
    g = problem.components(x)
    mean = g.mean(dim=-2)
    variance = (g - mean[..., None, :]).square().sum(dim=-1).mean(dim=-1) / batch
    if not replacement:
        variance = variance * ((problem.n - batch) / max(problem.n - 1, 1))
    return GradientNoise(mean, variance)


def sgd_step_decomposition(
    problem: FiniteSum, x: Float[Tensor, "*r d"], xstar: Float[Tensor, " d"], eta: float
) -> StepDecomposition:
    r"""The three terms of :math:`\mathbb E\|x-\eta\nabla f_i(x)-x^*\|^2`, averaged over all i.

    Example:
        >>> import torch
        >>> from corollary.theory.optimization.stochastic.finite_sums import squares
        >>> o = squares(torch.ones(2, 1).double(), torch.tensor([0.0, 2.0]).double())
        >>> x = torch.tensor([3.0], dtype=torch.float64)  # gradients 3 and 1, minimiser 1
        >>> terms = sgd_step_decomposition(o, x, o.minimiser, eta=0.5)
        >>> terms.before.item(), terms.progress.item(), terms.variance.item()
        (4.0, -4.0, 1.25)

    :covers: sgd-decomposition
    """
    check_positive("eta", eta)
    g, away = problem.components(x), x - xstar
    progress = -2 * eta * (away * g.mean(dim=-2)).sum(dim=-1)
    return StepDecomposition(
        away.square().sum(dim=-1), progress, eta**2 * g.square().sum(dim=-1).mean(dim=-1)
    )


def noise_radius(
    problem: FiniteSum,
    xstar: Float[Tensor, " d"],
    direction: Float[Tensor, " d"],
    eta: float,
    *,
    far: float = 1e3,
) -> float:
    """The distance from ``xstar`` at which an expected step neither nears nor leaves it.

    Found by bisection along ``direction``: beyond it progress wins, nearer the variance does. 0 if
    progress wins everywhere, infinite if it has not won at the distance ``far``.

    Example:
        >>> import torch
        >>> from corollary.theory.optimization.stochastic.finite_sums import squares
        >>> o = squares(torch.ones(2, 1).double(), torch.tensor([0.0, 2.0]).double())
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> round(noise_radius(o, o.minimiser, one, eta=1.0), 9)  # r^2 + 1 = 2 r^2
        1.0
    """
    check_finite("xstar", xstar)
    check_finite("direction", direction)
    unit = direction / direction.norm()

    def drift(r: float) -> float:
        terms = sgd_step_decomposition(problem, xstar + r * unit, xstar, eta)
        return float(terms.progress + terms.variance)

    low, high = far * 1e-15, far
    if drift(high) >= 0:
        return float("inf")
    if drift(low) <= 0:
        return 0.0
    for _ in range(100):  # geometric, since the radius may be tiny
        middle = (low * high) ** 0.5
        low, high = (middle, high) if drift(middle) > 0 else (low, middle)
    return high
