r"""The gradient of softmax with cross-entropy.

For logits :math:`o_i=x\cdot\theta_i`, probabilities :math:`p` and a target :math:`y` that is itself
a probability vector, the loss :math:`-\sum_iy_i\ln p_i=\ln\sum_ie^{o_i}-\langle y,o\rangle` has

.. math:: \frac{\partial\ell}{\partial\theta_i}=(p_i-y_i)\,x .

If the target sums to :math:`s\ne1` the gradient is :math:`(sp_i-y_i)x` instead.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.4; Perez Jensen (2025), Deep
    Learning, Section 2.2.
:kind: identity
:uses: chain_rule
:covers: softmax-cross-entropy
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import one_hot

from corollary.core import Claim, Parity, Suppose, equals, near, normal
from corollary.theory.networks.softmax import softmax
from corollary.train.losses import cross_entropy


class Given(NamedTuple):
    Theta: Float[Tensor, "k d"]  # a classifier
    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n k"]  # targets


class CrossEntropyGradient(Claim[Given]):
    n: int = 30  # points
    d: int = 4  # dimension
    k: int = 5  # classes

    relation = equals(ulps=4096, scale=1.0)  # sums over n points that partly cancel
    supposes = Suppose(
        "each target sums to 1",
        lambda g: near(g.y.sum(1), 1.0, 1e-12),
        "If the targets sum to one half, the gradient is (p/2 − y)x.",
        y=lambda g: g.y / 2,
    )
    symbols = "(p − y)ᵀx, and the loss", "∂ℓ/∂Θ, and the loss"
    shows = Parity("Entries of the gradient")

    def given(self, rng: Generator) -> Given:
        """Half of the targets are one-hot, half are soft."""
        y = torch.softmax(2 * normal(rng, self.n, self.k), 1)
        y[: self.n // 2] = one_hot(y.argmax(1), self.k)[: self.n // 2].to(y)
        return Given(normal(rng, self.k, self.d), normal(rng, self.n, self.d), y)

    def predict(self, given: Given) -> Tensor:
        Theta, x, y = given
        o = x @ Theta.T
        loss = (o.logsumexp(1) - (y * o).sum(1)).mean()
        return torch.cat([((softmax(o) - y).T @ x).flatten(), loss[None]])

    def measure(self, given: Given) -> Tensor:
        Theta = given.Theta.clone().requires_grad_(True)
        o, law = given.x @ Theta.T, given.y / given.y.sum(1, keepdim=True)
        (gradient,) = torch.autograd.grad(-(given.y * softmax(o).log()).sum(), Theta)
        loss = cross_entropy(o.detach(), law)
        return torch.cat([gradient.flatten(), loss[None]])
