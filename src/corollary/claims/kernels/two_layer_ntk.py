r"""Tangent kernel of a two-layer ReLU network.

For :math:`f(x) = \sqrt{2/m}\sum_jv_j(\langle w_j, x\rangle)_+` with all parameters standard normal
and trained, the kernel tends to :math:`\|x\|\|x'\|\,\kappa(u)`, u the cosine between the inputs,

.. math:: \kappa(u) = \frac{2u}\pi(\pi - \arccos u) + \frac1\pi\sqrt{1 - u^2}, \qquad \kappa(1) = 2,

which is also the mean of the empirical kernel at every width m.

:source: Perez Jensen (2025), Deep Learning, Section 9; Bietti and Mairal (2019), "On the inductive
    bias of neural tangent kernels", Eq. 7; Chizat, Oyallon and Bach (2019), "On lazy training in
    differentiable programming".
:kind: identity
:uses: shallow_gradient, relu_expectations
:covers: ntk-two-layer-bietti-mairal
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, normal, option, within_interval
from corollary.core.witness import mean_square_is
from corollary.theory.kernels.two_layer import ntk_relu_two_layer


class Given(NamedTuple):
    w: Float[Tensor, "draws m 2"]  # inner weights of many networks
    v: Float[Tensor, "draws m"]  # outer weights


class TwoLayerNtk(Claim[Given]):
    m: int = option(100, low=1, high=10_000)  # width
    draws: int = option(600, low=10, high=20_000)  # networks
    u: tuple[float, ...] = option((-0.8, -0.4, 0.0, 0.5, 0.95), low=-1.0, high=1.0)  # cosines

    relation = within_interval(
        level=0.999, resolution=0.06, coarse="κ(−0.8) is 0.02, which is below the half width"
    )  # 60,000 units, spread about 3 each
    supposes = (
        Suppose(
            "the inner weights are standard normal",
            lambda g: mean_square_is(g.w, 1.0),
            "If the inner weights have twice the variance, the gradients of the outer weights "
            "double.",
            w=lambda g: 2**0.5 * g.w,
        ),
        Suppose(
            "the outer weights are standard normal",
            lambda g: mean_square_is(g.v, 1.0),
            "If the outer weights have twice the variance, the gradients of the inner weights "
            "double.",
            v=lambda g: 2**0.5 * g.v,
        ),
    )
    symbols = "κ(u)", "mean over networks"
    rows = "u = {u}"
    shows = Along("Two-layer ReLU tangent kernel", x="u", at="u")

    @property
    def pairs(self) -> Float[Tensor, "k 2"]:
        """The first unit vector, and one at each angle to it."""
        u = torch.tensor((1.0, *self.u), dtype=torch.float64)
        return torch.stack([u, (1 - u * u).sqrt()], dim=1)

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.draws, self.m, 2), normal(rng, self.draws, self.m))

    def predict(self, given: Given) -> Tensor:
        return ntk_relu_two_layer(self.pairs[:1], self.pairs[1:])[0]

    def measure(self, given: Given) -> list[Sample]:
        h = given.w @ self.pairs.T  # (draws, m, 1 + angles)
        a, on = h.relu(), (h > 0).to(h.dtype)
        products = self.pairs[1:] @ self.pairs[0]
        first = given.v[..., None].square() * on[..., :1] * on[..., 1:] * products
        kernel = 2 * (a[..., :1] * a[..., 1:] + first).mean(1)  # (draws, angles)
        return [Sample(column) for column in kernel.T]
