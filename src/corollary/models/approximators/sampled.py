r"""Networks drawn from an integral: k units in place of infinitely many.

.. math:: g(x)=\int\sigma(w\cdot x+b)\,d\mu(w,b)\quad\approx\quad
   \frac{\|\mu\|_1}k\sum_{i\le k}s_i\,\sigma(w_i\cdot x+b_i)

with :math:`(w_i,b_i)` from :math:`|\mu|/\|\mu\|_1` and :math:`s_i` the sign of the part of
:math:`\mu` they came from. The estimate is unbiased, and its mean squared error is at most
:math:`\|\mu\|_1^2\sup\|\sigma\|^2/k`.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 29 and the proof of Theorem 27.
"""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.approximators.shallow import Scalar, Superposition
from corollary.models.approximators.steps import step
from corollary.theory.approximation.maurey import SignedMeasure


class Offset(nn.Module):
    """A constant plus a network.

    Example:
        >>> one = torch.ones(1)
        >>> net = Offset(2.0, Superposition(torch.relu, one[:, None], one, one))
        >>> net(torch.tensor([[3.0]])).tolist()
        [6.0]
    """

    def __init__(self, offset: float, network: Superposition) -> None:
        super().__init__()
        self.offset = nn.Parameter(network.a.detach().new_tensor(offset))
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        """The value at each point (n, d)."""
        value: Tensor = self.offset + self.network(x)
        return value


def as_network(measure: SignedMeasure, sigma: Scalar, k: int, *, rng: Generator) -> Superposition:
    r"""Units drawn from a measure on points :math:`(w,b)\in\mathbb{R}^{d+1}`, bias last.

    Example:
        >>> mu = SignedMeasure(torch.tensor([[1.0, 0.0]]), torch.tensor([-3.0]))
        >>> net = as_network(mu, torch.relu, 4, rng=torch.Generator().manual_seed(0))
        >>> net.units, net(torch.tensor([[2.0]])).tolist()  # -3 relu(x)
        (4, [-6.0])
    """
    if measure.points.shape[1] < 2:
        raise InputError("points need at least two columns, because a unit has weights and a bias")
    points, signs, _ = measure.sample(k, rng=rng)
    return Superposition(sigma, points[:, :-1], points[:, -1], measure.mass / k * signs)


def threshold_mixture(
    slope: Callable[[Tensor], Tensor],
    k: int,
    *,
    start: float = 0.0,
    cells: int = 4096,
    rng: Generator,
) -> Offset:
    r"""A draw of k thresholds for a function on [0, 1], from its derivative and its value at 0.

    :math:`h(x)=h(0)+\int_0^1\mathbb{1}[x\ge b]\,h'(b)\,db`: the thresholds are drawn from
    :math:`|h'|/\int|h'|`, a cell of a table first and a uniform place in it second. The mean
    squared error is at most :math:`(\int|h'|)^2/k`; for :math:`\sin2\pi x` that is :math:`16/k`.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> net = threshold_mixture(torch.ones_like, 10, rng=rng)  # h(x) = x
        >>> net.network.units, round(net(torch.ones(1, 1, dtype=torch.float64)).item(), 12)
        (10, 1.0)

    :covers: sine-threshold-representation
    :test: tests/theory/approximation/test_maurey.py
    """
    measure = SignedMeasure.from_density(slope, 0.0, 1.0, cells)
    b, signs, _ = measure.sample(k, rng=rng)
    b = b[:, 0] + (torch.rand(k, generator=rng, dtype=b.dtype) - 0.5) / cells
    units = Superposition(step, torch.ones_like(b)[:, None], -b, measure.mass / k * signs)
    return Offset(start, units)
