r"""Gradients of the linear autoencoder.

For :math:`\ell=\frac12\|x-y\|^2`, :math:`y=DCx`,

.. math:: \frac{\partial\ell}{\partial C}=D^\top(y-x)x^\top\in\mathbb{R}^{m\times d},\qquad
   \frac{\partial\ell}{\partial D}=(y-x)x^\top C^\top\in\mathbb{R}^{d\times m},

and the mean over a batch has the mean of these. The claim compares them with automatic
differentiation of the loss.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Gradients; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Autoencoder: Gradients.
:kind: identity
:cost: instant
:covers: autoencoder-gradients
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.theory.networks.activations import HYPERBOLIC, LINEAR, Activation
from corollary.theory.networks.autoencoder import autoencoder_gradients, reconstruction


class Given(NamedTuple):
    """An encoder, a decoder and points."""

    C: Float[Tensor, "m d"]
    D: Float[Tensor, "d m"]
    x: Float[Tensor, "n d"]
    phi: Activation  # of the code


class AutoencoderGradients(Claim[Given]):
    d: int = 7  # numbers a point has
    m: int = 3  # numbers a code has
    n: int = 20  # points
    relation = equals(ulps=1024, scale=1.0)  # sums over points and coordinates, entries about 1

    def given(self, rng: Generator) -> Given:
        """All standard normal."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)

        return Given(normal(self.m, self.d), normal(self.d, self.m), normal(self.n, self.d), LINEAR)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Linear code."""
        yield Hypothesis("encoder and decoder are linear", given.phi is LINEAR)

    def predict(self, given: Given) -> list[float]:
        """The formulas, entry by entry."""
        gradients = autoencoder_gradients(given.C, given.D, given.x)
        return torch.cat([g.flatten() for g in gradients]).tolist()

    def measure(self, given: Given) -> list[float]:
        """Automatic differentiation of the mean loss."""
        C, D = (t.clone().requires_grad_() for t in (given.C, given.D))
        with torch.enable_grad():
            loss = reconstruction(given.x, given.phi(given.x @ C.T) @ D.T)
        return torch.cat([g.flatten() for g in torch.autograd.grad(loss, (C, D))]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The code goes through tanh."""
        return self.given(rng)._replace(phi=HYPERBOLIC)

    def figure(self, given: Given) -> Figure:
        """Formula against autograd, with and without a non-linear code."""
        p, q = self.predict(given), self.measure(given)
        bent = self.measure(given._replace(phi=HYPERBOLIC))
        ends = [min(p), max(p)]
        return Figure(
            "Gradients of the linear autoencoder",
            x="entry by the formula",
            y="entry by autograd",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(p, q, label="linear code"),
                Points(p, bent, label="code through tanh", role="other"),
            ),
        )
