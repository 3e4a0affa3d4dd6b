r"""Gradients through a multiple of an orthogonal matrix explode, vanish or keep their size.

For a linear recurrence :math:`z_t=Uz_{t-1}+Vx_t` with :math:`U=gQ` and Q orthogonal,

.. math:: \Bigl\|\frac{\partial z_i}{\partial z_t}\Bigr\|_2=g^{\,i-t} :

g = 1.1 explodes, g = 0.9 vanishes, g = 1 keeps every gradient. For other matrices
:math:`\sigma_1(U)` decides nothing of the kind: a large one need not explode.

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Arjovsky, Shah and Bengio (2016), "Unitary
    evolution recurrent neural networks".
:kind: identity
:uses: bptt, orthogonal_inverse
:covers: rnn-vanishing-exploding
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.networks.activations import HYPERBOLIC, LINEAR, Activation
from corollary.theory.prerequisites.orthogonal import is_orthogonal, random_orthogonal
from corollary.theory.sequences.state_jacobians import rnn_jacobian_norms


class Given(NamedTuple):
    Q: Float[Tensor, "m m"]  # largest singular value 1
    gains: Float[Tensor, " k"]  # largest singular values of the recurrent matrices
    x: Float[Tensor, "T m"]  # inputs
    phi: Activation = LINEAR  # activation


def shift(given: Given) -> Given:
    """One entry off the diagonal: σ₁ = 1, and its square is zero."""
    Q = torch.zeros_like(given.Q)
    Q[0, 1] = 1.0
    return given._replace(Q=Q)


class OrthogonalRecurrence(Claim[Given]):
    m: int = option(8, low=2, high=100)  # units
    steps: int = option(60, low=2, high=200)  # numbers of steps i - t
    high: float = option(1.1, low=1.0, high=2.0)  # a gain that explodes
    low: float = option(0.9, low=0.1, high=1.0)  # a gain that vanishes

    relation = equals(ulps=2**14)  # relative: each of up to 200 products is rounded
    supposes = (
        Suppose("U is a multiple of an orthogonal matrix", lambda g: is_orthogonal(g.Q), shift),
        Suppose(
            "the recurrence is linear",
            lambda g: near(g.phi.derivative(g.x), 1.0, to=0.0),
            "If tanh saturates, gradients vanish at every gain.",
            phi=lambda g: HYPERBOLIC,
        ),
    )
    symbols = "g^(i−t)", "‖∂z_i/∂z_t‖₂"
    rows = "g = {gains}"

    def given(self, rng: Generator) -> Given:
        gains = torch.tensor([self.high, 1.0, self.low], dtype=torch.float64)
        return Given(random_orthogonal(self.m, rng=rng), gains, normal(rng, self.steps, self.m))

    def predict(self, given: Given) -> Tensor:
        return given.gains**self.steps

    def measure(self, given: Given) -> Kept:
        Q, gains, x, phi = given
        norms = torch.stack([rnn_jacobian_norms(g * Q, Q, x, phi=phi) for g in gains])
        return Kept(norms[:, -1], norms=norms)

    @picture("U = gQ with Q orthogonal", x="i − t", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        lags = list(range(self.steps + 1))
        for g, norms in zip(trial.given.gains.tolist(), trial.kept.norms, strict=True):
            yield Curve([g**k for k in lags], lags, f"{g:g}^(i−t)", "predicted")
            yield Points(lags[::6], norms[::6], label=f"g = {g:g}")
