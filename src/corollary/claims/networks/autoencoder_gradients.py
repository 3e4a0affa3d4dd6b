r"""Gradients of the linear autoencoder.

For :math:`\ell=\frac12\|x-y\|^2`, :math:`y=DCx`,

.. math:: \frac{\partial\ell}{\partial C}=D^\top(y-x)x^\top\in\mathbb{R}^{m\times d},\qquad
   \frac{\partial\ell}{\partial D}=(y-x)x^\top C^\top\in\mathbb{R}^{d\times m},

and the mean over a batch has the mean of these. The claim compares them with automatic
differentiation of the loss.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Gradients; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Autoencoder: Gradients.
:kind: identity
:uses: matrix_gradients
:covers: autoencoder-gradients
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal
from corollary.theory.networks.autoencoder import autoencoder_gradients, reconstruction


class Given(NamedTuple):
    C: Float[Tensor, "m d"]  # encoder
    D: Float[Tensor, "d m"]  # decoder
    x: Float[Tensor, "n d"]  # points
    phi: Callable[[Tensor], Tensor]  # of the code


class AutoencoderGradients(Claim[Given]):
    d: int = 7  # dimension of a point
    m: int = 3  # dimension of the code
    n: int = 20  # points

    relation = equals(ulps=1024, scale=1.0)  # sums over points and coordinates, entries about 1
    supposes = Suppose(
        "encoder and decoder are linear",
        lambda g: near(g.phi(2 * g.x), 2 * g.phi(g.x)),
        "If the code passes through tanh, the gradients are different.",
        phi=lambda g: torch.tanh,
    )
    symbols = "entry by the formula", "entry by autograd"
    shows = Parity("Gradients of the linear autoencoder")

    def given(self, rng: Generator) -> Given:
        C, D = normal(rng, self.m, self.d), normal(rng, self.d, self.m)
        return Given(C, D, normal(rng, self.n, self.d), lambda z: z)

    def predict(self, given: Given) -> Tensor:
        C, D, x, _ = given
        return torch.cat([g.flatten() for g in autoencoder_gradients(C, D, x)])

    def measure(self, given: Given) -> Tensor:
        C, D = (t.clone().requires_grad_() for t in (given.C, given.D))
        loss = reconstruction(given.x, given.phi(given.x @ C.T) @ D.T)
        return torch.cat([g.flatten() for g in torch.autograd.grad(loss, (C, D))])
