r"""With a causal mask, no output depends on later positions.

With :math:`M_{ij}=0` for :math:`j\le i` and :math:`-\infty` for :math:`j>i` added to the scores,

.. math:: \frac{\partial y_i}{\partial x_j}=0\quad(j>i),\qquad A_{ij}=0\quad(j>i),\qquad
   \sum_{j\le i}A_{ij}=1 :

no output depends on a later input, exactly and not only nearly, and the first position reads
itself alone.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5 and Figure 10.23; Vaswani,
    Shazeer, Parmar et al. (2017), "Attention is all you need", Section 3.2.3.
:kind: theorem
:covers: causal-mask
:scale-free: the mask is true or false, and what is compared are zeros and shares.
"""

from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Figure, HeatMap, Role
from corollary.models.attention.single_head import SingleHeadSelfAttention
from corollary.theory.sequences.masks import causal_mask


class Given(NamedTuple):
    X: Float[Tensor, "T d"]  # a sequence
    layer: SingleHeadSelfAttention
    mask: Bool[Tensor, "T T"]  # who may read whom


class CausalMask(Claim[Given]):
    T: int = option(8, low=2, high=40)  # length of the sequence
    d: int = option(4, high=32)  # numbers per position

    relation = equals(ulps=8)  # T weights are summed; the zeros are exact
    supposes = (
        Suppose(
            "the mask is lower triangular",
            lambda g: (not bool(g.mask.triu(1).any()), f"{int(g.mask.triu(1).sum())} later"),
            "If every position may read every position, it reads later ones.",
            mask=lambda g: torch.ones_like(g.mask),
        ),
        Suppose(
            "every position may read itself",
            lambda g: bool(g.mask.diagonal().all()),
            "If the first position may read nothing, its weights do not sum to 1.",
            mask=lambda g: g.mask.tril(-1),
        ),
    )
    symbols = "without a future", "with the mask"
    rows = (
        "derivative ahead",
        "weight ahead",
        "first weight",
        *(f"sum of row {i}" for i in range(1, 9)),
    )

    def given(self, rng: Generator) -> Given:
        layer = SingleHeadSelfAttention(self.d, rng=rng).requires_grad_(False)
        return Given(normal(rng, self.T, self.d), layer, causal_mask(self.T))

    def predict(self, given: Given) -> list[float]:
        return [0.0, 0.0, 1.0, *[1.0] * len(given.X)]

    def measure(self, given: Given) -> Kept:
        """The largest derivative and weight ahead, the first weight, the sums of rows."""
        A = given.layer.weights(given.X, mask=given.mask)
        f = partial(given.layer, mask=given.mask)
        J = torch.autograd.functional.jacobian(f, given.X)  # (i, d, j, d)
        size = J.abs().amax(dim=(1, 3))
        ahead = [size.triu(1).max(), A.triu(1).max()]
        return Kept([*ahead, A[0, 0], *A.sum(dim=1)], size=size)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, ...]:
        """The size of each derivative, with and without the mask."""
        bare = (picture("Without a mask", t.kept.size, "other") for t in trial.without[:1])
        return picture("With the mask", trial.kept.size, "measured"), *bare


def picture(title: str, size: Tensor, role: Role) -> Figure:
    """A derivative of each output in each input."""
    edges = (0.5, len(size) + 0.5)
    mark = HeatMap(size.tolist(), x=edges, y=edges, label="|∂yᵢ/∂xⱼ|", role=role)
    return Figure(title, x="input j", y="output i", marks=(mark,))
