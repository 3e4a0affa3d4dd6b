r"""Gibbs' inequality.

For probability vectors :math:`y` and :math:`\nu`

.. math:: -\sum_jy_j\ln\nu_j\ \ge\ -\sum_jy_j\ln y_j=H(y),

with equality iff :math:`\nu=y`; the difference is :math:`\mathrm{KL}(y\|\nu)`. So a network trained
on soft targets with the cross-entropy is pulled to the targets themselves.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 5; Gibbs (1902), Elementary
    Principles in Statistical Mechanics.
:kind: bound
:covers: soft-target-cross-entropy
:erratum: [missing hypothesis] The notes ask only that y lies in [0, 1]^m. For y = (0.1, 0.1) and
    nu = (0.5, 0.5) the left side is 0.139 and the right side 0.461: both must sum to 1.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, at_least, option, uniform
from corollary.train.losses import soft_cross_entropy


class Given(NamedTuple):
    y: Float[Tensor, "n k"]  # targets
    nu: Float[Tensor, "n k"]  # predictions


def is_law(p: Tensor) -> Tensor:
    """Whether every row is a probability vector."""
    return (p >= 0).all() & ((p.sum(1) - 1).abs() < 1e-12).all()


class GibbsInequality(Claim[Given]):
    n: int = option(200, low=2)  # pairs
    k: int = option(4, low=2)  # outcomes

    relation = at_least(ulps=16)  # the first prediction equals its target
    supposes = (
        Suppose(
            "y is a probability vector",
            lambda g: is_law(g.y),
            "For y = (0.1, 0.1) and ν = (0.5, 0.5), the left side is 0.139 and the right side "
            "0.461.",
            lambda: Given(*torch.tensor([[[0.1, 0.1]], [[0.5, 0.5]]], dtype=torch.float64)),
        ),
        Suppose(
            "ν is a probability vector",
            lambda g: is_law(g.nu),
            "Predictions that sum to 2 have a smaller cross-entropy.",
            nu=lambda g: 2 * g.nu,
        ),
    )
    symbols = "H(y)", "−Σ y ln ν"
    shows = Parity("Cross-entropies are at least the entropy")

    def given(self, rng: Generator) -> Given:
        """Pairs of laws, uniform on the simplex; in the first pair they are equal."""
        weights = -uniform(rng, 2, self.n, self.k).clamp(min=1e-300).log()
        y, nu = weights / weights.sum(-1, keepdim=True)
        nu[0] = y[0]
        return Given(y, nu)

    def predict(self, given: Given) -> Tensor:
        entropy = -torch.xlogy(given.y, given.y).sum(1)
        return torch.cat([entropy, entropy.mean()[None]])

    def measure(self, given: Given) -> Tensor:
        y, nu = given
        laws = (t / t.sum(1, keepdim=True) for t in (nu, y))
        return torch.cat([-torch.xlogy(y, nu).sum(1), soft_cross_entropy(*laws)[None]])
