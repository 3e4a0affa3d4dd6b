r"""Vanishing gradients in recurrent networks.

If :math:`|\varphi'|\le\alpha` everywhere, the states of :math:`z_t=\varphi(Uz_{t-1}+Vx_t)` satisfy

.. math:: \Bigl\|\frac{\partial z_i}{\partial z_t}\Bigr\|_2\le(\alpha\,\sigma_1(U))^{i-t} .

So gradients vanish geometrically if :math:`\sigma_1(U)<1/\alpha` (:math:`\alpha=1` for tanh,
:math:`1/4` for the logistic function). For gradients to explode :math:`\sigma_1(U)>1/\alpha` is
necessary, and not sufficient.

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Pascanu, Mikolov and Bengio (2013), "On the
    difficulty of training recurrent neural networks".
:kind: bound
:uses: bptt, operator_norm
:covers: rnn-vanishing-exploding
:erratum: [wrong] The notes say that the gradient vanishes if sigma_1(U) >= 1/alpha; the bound just
    above gives it for sigma_1(U) < 1/alpha. With the identity (alpha = 1) and 20 steps, U = 2 I
    gives norm 2^20 = 1.05e6 and U = I/2 gives 9.5e-7. The figure shows both sides.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, at_most, below, normal, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.networks.activations import LINEAR, Activation, activation
from corollary.theory.sequences.state_jacobians import jacobian_bound, rnn_jacobian_norms


class Given(NamedTuple):
    U: Float[Tensor, "m m"]  # recurrent weights
    V: Float[Tensor, "m n"]  # input weights
    x: Float[Tensor, "T n"]  # inputs
    phi: Activation  # activation
    alpha: float  # bound on its slope


class StateGradientBound(Claim[Given]):
    T: int = option(30, low=2, high=200)  # steps
    m: int = option(16, low=1, high=100)  # units
    rate: float = option(0.9, low=0.01, high=2.0)  # α σ₁(U)
    phi: Literal["tanh", "sigmoid"] = "tanh"  # activation φ

    relation = at_most(ulps=2**10)  # products of T matrices, each rounded
    supposes = Suppose(
        "|φ'| ≤ α",
        lambda g: below(g.phi.derivative(torch.linspace(-5, 5, 1001).double()), g.alpha),
        "α is the largest slope of the logistic function, which is smaller than that of tanh.",
        alpha=lambda g: g.alpha / 4,
        x=lambda g: 0 * g.x,
    )
    symbols = "(α σ₁(U))^(i−t)", "‖∂z_i/∂z_t‖₂"
    shows = Along("Gradients through time", x="i − t", first=1, log="y", without=False)

    def given(self, rng: Generator) -> Given:
        """Normal weights with the largest singular value scaled; small inputs."""
        phi, U = activation(self.phi), normal(rng, self.m, self.m)
        U = U * (self.rate / phi.lipschitz) / torch.linalg.matrix_norm(U, ord=2)
        return Given(U, normal(rng, self.m, 1), 0.3 * normal(rng, self.T, 1), phi, phi.lipschitz)

    def predict(self, given: Given) -> Tensor:
        return jacobian_bound(given.U, len(given.x), alpha=given.alpha)[1:]

    def measure(self, given: Given) -> Tensor:
        return rnn_jacobian_norms(given.U, given.V, given.x, phi=given.phi)[1:]

    def tight(self) -> Given:
        """A multiple of the identity at rest, where tanh has slope 1."""
        eye = torch.eye(3, dtype=torch.float64)
        return Given(0.8 * eye, eye[:, :1], eye.new_zeros(5, 1), activation("tanh"), 1.0)

    @picture("The corrected condition, φ(z) = z", x="i − t", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        eye, still = torch.eye(2, dtype=torch.float64), torch.zeros(20, 2, dtype=torch.float64)
        for s, what in ((2.0, "≥ 1/α: it explodes"), (1.0, "= 1/α"), (0.5, "< 1/α: it vanishes")):
            norms = rnn_jacobian_norms(s * eye, eye, still, phi=LINEAR)
            yield Curve(norms, label=f"σ₁(U) = {s:g} {what}", dashed=s == 1)
