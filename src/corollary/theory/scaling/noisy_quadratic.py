r"""SGD on a noisy quadratic, exactly: any learning-rate schedule, any batch size.

With curvatures :math:`\lambda_i`, and examples whose gradients have the variance :math:`c_i` along
eigenvector i, a step with learning rate :math:`\eta_t` and batch size B turns the mean square
:math:`m_i=\mathbb E x_i^2` into

.. math:: m_i\leftarrow(1-\eta_t\lambda_i)^2m_i+\eta_t^2\,\frac{c_i}B,\qquad
   \mathbb E L=\frac12\sum_i\lambda_im_i .

So the expected loss of a schedule needs no simulation, and the best schedule of a given shape needs
a search over one number, its peak.

:source: Zhang, Li, Nado, Martens, Sachdeva, Dahl, Shallue and Grosse (2019), "Which algorithmic
    choices matter at which batch sizes? Insights from a noisy quadratic model", Section 3.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

SHAPES = ("constant", "linear", "cosine", "wsd")
STABLE = 0.2  # share of the steps in which wsd decays
LOW, PEAKS, ROUNDS = 1e-4, 41, 4  # of the search for a peak, in units of 2 / largest curvature


class NoisyQuadratic(NamedTuple):
    """One coordinate per eigenvector of the Hessian."""

    curvature: Float[Tensor, " d"]
    noise: Float[Tensor, " d"]  # variance of the gradient of one example
    start: Float[Tensor, " d"]  # mean square of each coordinate


class Peak(NamedTuple):
    """The best peak of a schedule, and the expected loss at its end."""

    rate: float
    loss: float


def expected_losses(
    quadratic: NoisyQuadratic, rates: Sequence[float], batch: float = 1
) -> Float[Tensor, " t"]:
    """The expected loss before the first step and after each one.

    Example:
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> expected_losses(NoisyQuadratic(one, one, one), [0.5], batch=2).tolist()
        [0.5, 0.1875]
    """
    curvature, noise, m = quadratic
    losses = [(curvature * m).sum() / 2]
    for rate in rates:
        m = (1 - rate * curvature) ** 2 * m + rate**2 * noise / batch
        losses.append((curvature * m).sum() / 2)
    return torch.stack(losses)


def shape(name: str, steps: int, warm_up: int = 0) -> list[float]:
    """The factors of a schedule: ``constant``, ``linear``, ``cosine`` or ``wsd`` (stable, decay).

    Linear and cosine decay begin after the warm-up and end at 0 after the last step; wsd is
    constant and decays linearly in the last fifth of the steps.

    Example:
        >>> shape("linear", 4), shape("constant", 3, warm_up=2), shape("wsd", 5)
        ([1.0, 0.75, 0.5, 0.25], [0.5, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0])
        >>> [round(v, 3) for v in shape("cosine", 4)]
        [1.0, 0.854, 0.5, 0.146]
    """
    if name not in SHAPES:
        raise InputError(f"expected a schedule among {', '.join(SHAPES)}, got '{name}'")
    if not 0 <= warm_up < steps:
        raise InputError(f"expected a warm-up below {steps} steps, got {warm_up}")
    factors = []
    for t in range(steps):
        left = (steps - max(t, warm_up)) / (steps - warm_up)  # 1 until the warm-up ends
        decay = {
            "constant": 1.0,
            "linear": left,
            "cosine": (1 - math.cos(math.pi * left)) / 2,
            "wsd": min(1.0, left / STABLE),
        }[name]
        factors.append(min(decay, (t + 1) / warm_up) if warm_up else decay)
    return factors


def best_peak(quadratic: NoisyQuadratic, factors: Sequence[float], batch: float = 1) -> Peak:
    """The peak learning rate at which a schedule ends with the lowest expected loss.

    A grid of peaks up to the largest stable one is refined three times around its best point.

    Example:
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> found = best_peak(NoisyQuadratic(one, one, one), [1.0])  # m / (m + c)
        >>> round(found.rate, 3), round(found.loss, 3)
        (0.5, 0.25)
    """
    _without_nan(*quadratic, *factors, batch)
    top = 2 / float(quadratic.curvature.max())
    low, high = math.log(LOW * top), math.log(top)
    shapes = torch.tensor(list(factors), dtype=torch.float64)
    for _ in range(ROUNDS):
        grid = torch.linspace(low, high, PEAKS, dtype=torch.float64)
        ends = _final_losses(quadratic, grid.exp(), shapes, batch)
        k = int(ends.argmin())
        width = (high - low) / (PEAKS - 1)
        best = Peak(math.exp(float(grid[k])), float(ends[k]))
        low, high = float(grid[k]) - width, min(math.log(top), float(grid[k]) + width)
    return best


def steps_to(quadratic: NoisyQuadratic, loss: float, batch: float, most: int = 2**20) -> int:
    """The fewest steps of a tuned constant learning rate after which the expected loss is reached.

    Found by bisection: more steps never hurt a tuned rate. ``most`` if it is not reached before.

    Example:
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> quiet = NoisyQuadratic(one, 0 * one, one)
        >>> steps_to(quiet, 0.1, batch=1)  # without noise, one Newton step
        1
    """
    _without_nan(*quadratic, loss, batch, most)
    if loss < 0:
        raise InputError(f"expected a loss of at least 0, got {loss:g}")
    low, high = 0, 1
    while high < most and best_peak(quadratic, [1.0] * high, batch).loss > loss:
        low, high = high, 2 * high
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if best_peak(quadratic, [1.0] * middle, batch).loss > loss:
            low = middle
        else:
            high = middle
    return min(high, most)


def _without_nan(*values: Tensor | float) -> None:
    if any(bool(torch.as_tensor(v).isnan().any()) for v in values):
        raise InputError("expected numbers, got NaN")


def _final_losses(
    quadratic: NoisyQuadratic, peaks: Tensor, shapes: Tensor, batch: float
) -> Float[Tensor, " k"]:
    curvature, noise, start = quadratic
    m = start.expand(len(peaks), -1)
    for factor in shapes.tolist():
        rates = (factor * peaks)[:, None]
        m = (1 - rates * curvature) ** 2 * m + rates**2 * noise / batch
    return (curvature * m).sum(1) / 2
