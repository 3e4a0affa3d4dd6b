r"""Vanishing gradients in recurrent networks.

If :math:`|\varphi'|\le\alpha` everywhere, the states of :math:`z_t=\varphi(Uz_{t-1}+Vx_t)` satisfy

.. math:: \Bigl\|\frac{\partial z_i}{\partial z_t}\Bigr\|_2\le(\alpha\,\sigma_1(U))^{i-t} .

So gradients vanish geometrically if :math:`\sigma_1(U)<1/\alpha` (:math:`\alpha=1` for tanh,
:math:`1/4` for the logistic function). For gradients to explode :math:`\sigma_1(U)>1/\alpha` is
necessary, and not sufficient.

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Pascanu, Mikolov and Bengio (2013), "On the
    difficulty of training recurrent neural networks".
:kind: bound
:cost: instant
:covers: rnn-vanishing-exploding
:erratum: [wrong] The notes say that the gradient vanishes if sigma_1(U) >= 1/alpha; the bound just
    above gives it for sigma_1(U) < 1/alpha. With the identity (alpha = 1) and 20 steps, U = 2 I
    gives norm 2^20 = 1.05e6 and U = I/2 gives 9.5e-7. The figure shows both sides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.networks.activations import LINEAR, activation
from corollary.theory.sequences.state_jacobians import jacobian_bound, rnn_jacobian_norms


class Given(NamedTuple):
    """Weights, an input, an activation, and a bound on its slope."""

    U: Float[Tensor, "m m"]
    V: Float[Tensor, "m n"]
    x: Float[Tensor, "T n"]
    phi: str
    alpha: float


@dataclass(frozen=True)
class StateGradientBound(Claim[Given]):
    """Norms of products of Jacobians against a power."""

    T: int = option(30, low=2, high=200)  # steps
    m: int = option(16, low=1, high=100)  # units
    rate: float = option(0.9, low=0.01, high=2.0)  # α σ₁(U)
    phi: Literal["tanh", "sigmoid"] = "tanh"  # activation φ
    relation = at_most(ulps=2**10)  # products of T matrices, each rounded

    def given(self, rng: Generator) -> Given:
        """Normal weights with the largest singular value scaled; small inputs."""
        alpha = activation(self.phi).lipschitz
        U = torch.randn(self.m, self.m, generator=rng, dtype=torch.float64)
        U = U * (self.rate / alpha) / torch.linalg.matrix_norm(U, ord=2)
        V = torch.randn(self.m, 1, generator=rng, dtype=torch.float64)
        x = 0.3 * torch.randn(self.T, 1, generator=rng, dtype=torch.float64)
        return Given(U, V, x, self.phi, alpha)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The slope; it is largest at zero for both activations."""
        slope = activation(given.phi).lipschitz
        yield Hypothesis("|φ'| ≤ α", slope <= given.alpha, f"largest slope {slope:g}")

    def predict(self, given: Given) -> list[float]:
        """Powers of α σ₁(U)."""
        return jacobian_bound(given.U, len(given.x), alpha=given.alpha)[1:].tolist()

    def measure(self, given: Given) -> list[float]:
        """Norms from the first state on."""
        return self._norms(given).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The slope of the logistic function taken for that of tanh."""
        given = StateGradientBound(self.T, self.m, 0.9, "tanh").given(rng)
        return given._replace(alpha=0.25, x=0 * given.x)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The bound, and the two sides of the threshold."""
        lags = list(range(1, len(given.x) + 1))
        first = Figure(
            f"Gradients through time, α σ₁(U) = {self.rate:g}",
            x="i − t",
            y="‖∂z_i/∂z_t‖₂",
            log_y=True,
            marks=(
                Curve(self.predict(given), x=lags, label="(α σ₁(U))^(i−t)", role="predicted"),
                Curve(self._norms(given), x=lags, label="‖∂z_i/∂z_t‖₂"),
            ),
        )
        eye, still = torch.eye(2, dtype=torch.float64), torch.zeros(20, 2, dtype=torch.float64)
        steps = list(range(21))
        sides = tuple(
            Curve(rnn_jacobian_norms(s * eye, eye, still, phi=LINEAR), x=steps, label=label,
                  role=role, dashed=s == 1)
            for s, label, role in (
                (2.0, "σ₁(U) = 2 ≥ 1/α: it explodes", "measured"),
                (1.0, "σ₁(U) = 1", "other"),
                (0.5, "σ₁(U) = 1/2 < 1/α: it vanishes", "measured"),
            )
        )  # fmt: skip
        second = Figure("The condition the right way round, φ(z) = z", x="i − t",
                        y="‖∂z_i/∂z_t‖₂", log_y=True, marks=sides)  # fmt: skip
        return first, second

    def _norms(self, given: Given) -> Tensor:
        phi = activation(given.phi)
        return rnn_jacobian_norms(given.U, given.V, given.x, phi=phi)[1:]
