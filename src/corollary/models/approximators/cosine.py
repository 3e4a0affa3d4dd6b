r"""Cosine networks: the product of two is again one, exactly.

.. math:: F(x)=\sum_{i\le m}a_i\cos(w_i\cdot x+b_i),\qquad2\cos u\cos v=\cos(u+v)+\cos(u-v)

Widths m and m' give a product of width :math:`2mm'`. With :math:`\cos0=1` and units that separate
points this is all that the theorem of Stone and Weierstrass asks, so cosine networks are universal.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 2a and (3.15)-(3.16).
:covers: cosine-network-universal
:test: tests/models/approximators/test_relu_sums.py
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.models.approximators.shallow import Superposition, fit_superposition


class CosNetwork(Superposition):
    """A superposition of cosines.

    Example:
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> net = CosNetwork(one[:, None], 0 * one, one)
        >>> square = multiply(net, net)
        >>> square.units, round(square(one[:, None]).item(), 9)  # cos(1)^2
        (2, 0.291926582)
    """

    def __init__(
        self, w: Float[Tensor, "m d"], b: Float[Tensor, " m"], a: Float[Tensor, " m"]
    ) -> None:
        super().__init__(torch.cos, w, b, a)


def multiply(F: CosNetwork, G: CosNetwork) -> CosNetwork:
    r"""The network that is the product of two, with :math:`2mm'` units."""
    sums = (F.w[:, None] + G.w[None]).flatten(0, 1)  # (m m', d)
    gaps = (F.w[:, None] - G.w[None]).flatten(0, 1)
    b = torch.cat([(F.b[:, None] + G.b).flatten(), (F.b[:, None] - G.b).flatten()])
    half = (F.a[:, None] * G.a).flatten() / 2
    return CosNetwork(torch.cat([sums, gaps]), b, torch.cat([half, half]))


def fit_cosines(
    f: Callable[[Tensor], Tensor], m: int, *, d: int = 1, scale: float = 10.0, rng: Generator
) -> CosNetwork:
    """A cosine network of ``m`` random units fitted to ``f`` on the unit cube.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> net = fit_cosines(lambda x: x[:, 0] ** 2, 40, rng=rng)
        >>> x = torch.linspace(0, 1, 101, dtype=torch.float64)[:, None]
        >>> bool((net(x) - x[:, 0] ** 2).abs().max() < 1e-6)
        True
    """
    fitted = fit_superposition(f, torch.cos, m, d=d, scale=scale, rng=rng)
    return CosNetwork(fitted.w, fitted.b, fitted.a)
