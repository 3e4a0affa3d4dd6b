"""Many ReLU networks trained side by side, as several claims here need them."""

from collections.abc import Iterator
from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import normal

Passed = list[tuple[Tensor, Tensor]]  # of each layer: its inputs, and the derivatives by its sums


class Networks(NamedTuple):
    r"""Networks of width n, the output multiplied by :math:`\sqrt2\,n^{-\alpha}`, weights N(0, 1).

    Hidden layers between the first and the last are multiplied by :math:`\sqrt{2/n}`.
    """

    weights: tuple[Float[Tensor, "k out in"], ...]
    alpha: float  # 1/2 is the NTK parametrisation, 1 the mean-field one

    @classmethod
    def drawn(
        cls, k: int, n: int, d: int, alpha: float, rng: Generator, hidden: int = 1
    ) -> "Networks":
        """As many as asked for, of width n."""
        sizes = [d, *[n] * hidden, 1]
        pairs = zip(sizes, sizes[1:], strict=False)
        return cls(tuple(normal(rng, k, out, into) for into, out in pairs), alpha)

    @property
    def scales(self) -> list[float]:
        """What the sums of each layer are multiplied with."""
        n = self.weights[0].shape[1]
        between = len(self.weights) - 2
        return [1.0, *[(2 / n) ** 0.5] * between, float(2**0.5 * n**-self.alpha)]

    def __call__(self, x: Float[Tensor, "p d"]) -> Float[Tensor, "k p"]:
        """The outputs."""
        *_, (a, _) = self._forward(x)
        out: Tensor = self.scales[-1] * (a @ self.weights[-1].mT)[..., 0]
        return out

    def _forward(self, x: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """The inputs of each layer, and which of them are on."""
        a = x.expand(len(self.weights[0]), *x.shape)
        yield a, a.new_ones(a.shape)
        for w, s in zip(self.weights[:-1], self.scales, strict=False):
            z = s * a @ w.mT
            a = z.relu()
            yield a, (z > 0).to(z.dtype)

    def _passed(self, x: Tensor) -> Passed:
        inputs = list(self._forward(x))
        by_sum = self.scales[-1] * x.new_ones(len(self.weights[0]), len(x), 1)
        out = [(inputs[-1][0], by_sum)]
        for l in range(len(self.weights) - 1, 0, -1):
            by_sum = self.scales[l - 1] * (by_sum @ self.weights[l]) * inputs[l][1]
            out.insert(0, (inputs[l - 1][0], by_sum))
        return out

    def step(self, x: Float[Tensor, "p d"], rest: Float[Tensor, "k p"], h: float) -> "Networks":
        """A step of gradient flow on half the squared residual."""
        layers = zip(self.weights, self._passed(x), strict=True)
        moved = [w + h * (rest[..., None] * b).mT @ a for w, (a, b) in layers]
        return self._replace(weights=tuple(moved))

    def tangent(self, x: Float[Tensor, "p d"], y: Float[Tensor, "q d"]) -> Float[Tensor, "k p q"]:
        """The tangent kernel of each network."""
        pairs = zip(self._passed(x), self._passed(y), strict=True)
        return sum(((a @ c.mT) * (b @ e.mT) for (a, b), (c, e) in pairs), x.new_zeros(()))
