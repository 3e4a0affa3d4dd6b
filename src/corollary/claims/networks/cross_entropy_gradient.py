r"""The gradient of softmax with cross-entropy.

For logits :math:`o_i=x\cdot\theta_i`, probabilities :math:`p` and a target :math:`y` that is itself
a probability vector, the loss :math:`-\sum_iy_i\ln p_i=\ln\sum_ie^{o_i}-\langle y,o\rangle` has

.. math:: \frac{\partial\ell}{\partial\theta_i}=(p_i-y_i)\,x .

If the target sums to :math:`s\ne1` the gradient is :math:`(sp_i-y_i)x` instead.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.4; Perez Jensen (2025), Deep
    Learning, Section 2.2.
:kind: identity
:cost: instant
:covers: softmax-cross-entropy
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.theory.networks.softmax import softmax


class Given(NamedTuple):
    """A classifier, points and targets."""

    Theta: Float[Tensor, "k d"]
    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n k"]


class CrossEntropyGradient(Claim[Given]):
    n: int = 30  # points
    d: int = 4  # dimension
    k: int = 5  # classes
    relation = equals(ulps=4096, scale=1.0)  # sums over n points that partly cancel

    def given(self, rng: Generator) -> Given:
        """Gaussian weights and points; half of the targets are one-hot, half are soft."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64, device=rng.device)

        y = softmax(2 * normal(self.n, self.k))
        classes = torch.randint(self.k, (self.n,), generator=rng, device=rng.device)
        hard = torch.nn.functional.one_hot(classes, self.k).to(y)
        y[: self.n // 2] = hard[: self.n // 2]
        return Given(normal(self.k, self.d), normal(self.n, self.d), y)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Targets that are distributions."""
        off = float((given.y.sum(1) - 1).abs().max())
        yield Hypothesis("each target sums to 1", off < 1e-12, f"off by {off:.1e}")

    def predict(self, given: Given) -> list[float]:
        """The formula, summed over the points."""
        Theta, x, y = given
        return ((softmax(x @ Theta.T) - y).T @ x).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """Autograd on minus y times the logarithm of p."""
        Theta = given.Theta.clone().requires_grad_(True)
        loss = -(given.y * softmax(given.x @ Theta.T).log()).sum()
        return torch.autograd.grad(loss, Theta)[0].flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Targets of sum one half."""
        given = self.given(rng)
        return given._replace(y=given.y / 2)

    def figure(self, given: Given) -> Figure:
        """Entry by entry on the diagonal."""
        p, m = self.predict(given), self.measure(given)
        ends = [min(p), max(p)]
        marks = (
            Curve(ends, x=ends, label="equality", role="predicted"),
            Points(p, m, label="entries of the gradient"),
        )
        return Figure("One formula for all entries", x="(p − y)ᵀx", y="∂ℓ/∂Θ", marks=marks)
