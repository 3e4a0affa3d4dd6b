r"""Attention without parameters is the gradient of a log-sum-exp.

For :math:`\phi(q)=\ln\sum_me^{\langle q,x_m\rangle}` the gradient is
:math:`\sum_m\operatorname{softmax}_m(\langle q,x_m\rangle)\,x_m`, so that position n reads

.. math:: y_n=\sum_m\operatorname{softmax}_m(\langle x_n,x_m\rangle)\,x_m=\nabla\phi(x_n).

:math:`\phi` is convex, hence positions that are moved apart are read apart:
:math:`\langle\nabla\phi(q)-\nabla\phi(q'),q-q'\rangle\ge0`. It takes scores and values made of the
same vectors.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1, Equation 10.1; Ramsauer et al.
    (2021), "Hopfield networks is all you need", Section 2.
:kind: identity
:uses: chain_rule
:covers: simple-self-attention
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option
from corollary.theory.sequences.attention import dot_attention


class Given(NamedTuple):
    X: Float[Tensor, "T d"]  # a sequence
    K: Float[Tensor, "T d"]  # the vectors that make its scores


class AttentionGradient(Claim[Given]):
    T: int = option(12, low=2, high=500)  # length of the sequence
    d: int = option(4, low=1, high=50)  # numbers per position

    relation = equals(ulps=2**10, scale=1.0)  # sums of T products and quotients of exponentials
    supposes = Suppose(
        "scores and values are made of the same vectors",
        lambda g: near(g.K, g.X),
        "If the scores use vectors twice as long, the gradient is different.",
        K=lambda g: 2 * g.X,
    )
    symbols = "∇ log-sum-exp", "attention"
    shows = Parity("Attention is a gradient")

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.T, self.d)
        return Given(X, X)

    def predict(self, given: Given) -> Tensor:
        q = given.X.clone().requires_grad_()
        sums = torch.logsumexp(q @ given.K.T, dim=1).sum()  # each row of q is in one of them
        return torch.autograd.grad(sums, q)[0].flatten()

    def measure(self, given: Given) -> Tensor:
        return dot_attention(given.X).flatten()
