r"""Tangent kernel of a two-layer ReLU network.

For :math:`f(x) = \sqrt{2/m}\sum_jv_j(\langle w_j, x\rangle)_+` with all parameters standard normal
and trained, the kernel tends to :math:`\|x\|\|x'\|\,\kappa(u)`, u the cosine between the inputs,

.. math:: \kappa(u) = \frac{2u}\pi(\pi - \arccos u) + \frac1\pi\sqrt{1 - u^2}, \qquad \kappa(1) = 2,

which is also the mean of the empirical kernel at every width m.

:source: Perez Jensen (2025), Deep Learning, Section 9; Bietti and Mairal (2019), "On the inductive
    bias of neural tangent kernels", Eq. 7; Chizat, Oyallon and Bach (2019), "On lazy training in
    differentiable programming".
:kind: identity
:cost: instant
:covers: ntk-two-layer-bietti-mairal
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.theory.kernels.two_layer import ntk_relu_two_layer

CORRELATIONS = (-0.8, 0.0, 0.5, 0.95)


class Given(NamedTuple):
    """Weights of many networks; inputs are pairs of unit vectors in the plane."""

    w: Float[Tensor, "draws m 2"]
    v: Float[Tensor, "draws m"]


class TwoLayerNtk(Claim[Given]):
    m: int = option(100, low=1, high=10_000)  # width
    draws: int = option(600, low=10, high=20_000)  # networks
    relation = within_interval(level=0.999, resolution=0.06)  # 60,000 units, spread about 3 each

    def given(self, rng: Generator) -> Given:
        """Standard normal parameters."""
        w = torch.randn(self.draws, self.m, 2, generator=rng, dtype=torch.float64)
        return Given(w, torch.randn(self.draws, self.m, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Both layers have unit variance."""
        for name, t in (("w", given.w), ("v", given.v)):
            near = abs(float((t**2).mean()) - 1) < 6 * (2 / t.numel()) ** 0.5
            yield Hypothesis("the parameters are standard normal", near, f"mean square of {name}")

    def predict(self, given: Given) -> list[float]:
        """The closed form."""
        return ntk_relu_two_layer(_pairs()[:1], _pairs()[1:])[0].tolist()

    def measure(self, given: Given) -> list[Sample]:
        """Gradients of both layers, multiplied out."""
        h = given.w @ _pairs().T  # (draws, m, 1 + angles)
        a, on = h.relu(), (h > 0).to(h.dtype)
        products = _pairs()[1:] @ _pairs()[0]
        last = a[..., :1] * a[..., 1:]
        first = (given.v[..., None] ** 2) * on[..., :1] * on[..., 1:] * products
        kernel = 2 * (last + first).mean(1)  # (draws, angles)
        return [Sample(column.tolist()) for column in kernel.T]

    def counterexample(self, rng: Generator) -> Given:
        """An outer layer of twice the variance counts the inner gradients twice."""
        w, v = self.given(rng)
        return Given(w, 2**0.5 * v)

    def figure(self, given: Given) -> Figure:
        """The closed form over the cosine."""
        u = torch.linspace(-1, 1, 201, dtype=torch.float64)
        circle = torch.stack([u, (1 - u * u).sqrt()], dim=1)
        found = [m.read(0.99) for m in self.measure(given)]
        return Figure(
            "Two-layer ReLU tangent kernel",
            x="u",
            y="κ(u)",
            marks=(
                Curve(
                    ntk_relu_two_layer(_pairs()[:1], circle)[0], x=u, label="κ", role="predicted"
                ),
                Points(
                    CORRELATIONS,
                    [r.value for r in found],
                    low=[r.low for r in found],
                    high=[r.high for r in found],
                    label="mean over networks",
                ),
            ),
        )


def _pairs() -> Float[Tensor, "k 2"]:
    """The first unit vector, and one at each angle to it."""
    u = torch.tensor((1.0, *CORRELATIONS), dtype=torch.float64)
    return torch.stack([u, (1 - u * u).sqrt()], dim=1)
