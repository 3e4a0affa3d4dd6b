r"""Bias-variance decomposition.

If the labels are planted, an estimator :math:`\bar w` of :math:`w_*` that depends on a random
training set has the mean excess risk

.. math:: \mathbb E[R(\bar w)]-\sigma^2=\|\mathbb E\bar w-w_*\|_\Sigma^2+
   \mathbb E\|\bar w-\mathbb E\bar w\|_\Sigma^2 .

Checked without sampling: inputs take three values and the noise two, so that all training sets and
all test points can be listed with their probabilities. The estimator is a ridge regression.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Theorem 80; Geman, Bienenstock
    and Doursat (1992), "Neural networks and the bias/variance dilemma".
:kind: theorem
:uses: excess_risk
:covers: bias-variance-decomposition
:erratum: [typo] The first line of the decomposition in the proof of Theorem 80 reads
    E ||w_bar - E w_bar||^2, the variance; it must be E ||w_bar - w_*||^2. The statement is right.
"""

import itertools
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, equals, normal, option
from corollary.theory.double_descent.bias_variance import ridge_estimate
from corollary.theory.double_descent.risk import excess_risk


class Given(NamedTuple):
    phi: Float[Tensor, "3 2"]  # three inputs, equally likely
    w_star: Float[Tensor, " 2"]  # the rule
    sigma: float  # the noise is this or its negative, with equal chances
    rest: Float[Tensor, " 3"]  # added to the labels; 0 if they are planted


class BiasVariance(Claim[Given]):
    n: int = option(4, low=1, high=5)  # points of a training set
    lam: float = option(0.3, low=0.001, high=100.0)  # ridge
    sigma: float = option(0.7, low=0.1, high=2.0)  # standard deviation of the noise

    relation = equals(ulps=2**10)  # sums over 6^n training sets
    supposes = Suppose(
        "the labels are planted",
        lambda g: (not g.rest.any(), f"off by up to {float(g.rest.abs().max()):.2g}"),
        "No linear rule gives these labels, so the formula misses the error of the best rule.",
        rest=torch.tensor([1.0, -1.0, 0.5], dtype=torch.float64),
    )
    symbols = "bias + variance", "mean excess risk"
    shows = Sweep(
        "Bias and variance of ridge", "lam", (0.001, 0.01, 0.1, 0.3, 1, 10, 100), x="ridge λ"
    )

    def given(self, rng: Generator) -> Given:
        phi, w_star = normal(rng, 3, 2), normal(rng, 2)
        return Given(phi, w_star, self.sigma, torch.zeros(3, dtype=torch.float64))

    def predict(self, given: Given) -> Tensor:
        w, Sigma = self._estimates(given), given.phi.T @ given.phi / 3
        mean = w.mean(dim=0)
        return excess_risk(mean, given.w_star, Sigma) + excess_risk(w, mean, Sigma).mean()

    def measure(self, given: Given) -> Tensor:
        labels = given.phi @ given.w_star + given.rest
        both = torch.stack([labels + given.sigma, labels - given.sigma])  # (2, 3)
        errors = (self._estimates(given) @ given.phi.T)[:, None] - both  # (sets, 2, 3)
        return errors.square().mean() - given.sigma**2

    def _estimates(self, given: Given) -> Tensor:
        """The ridge solutions of all 6^n training sets, which are equally likely."""
        inputs = torch.tensor(list(itertools.product(range(3), repeat=self.n)))
        signs = torch.tensor(list(itertools.product((-1.0, 1.0), repeat=self.n))).double()
        phi = given.phi[inputs]  # (3^n, n, 2)
        clean = phi @ given.w_star + given.rest[inputs]
        y = clean[:, None] + given.sigma * signs  # (3^n, 2^n, n)
        designs = phi[:, None].expand(-1, len(signs), -1, -1)
        return ridge_estimate(designs, y, self.lam).reshape(-1, 2)
