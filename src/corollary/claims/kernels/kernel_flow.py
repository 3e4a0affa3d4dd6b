r"""Gradient flow of a model linear in its parameters.

For :math:`f = \Phi\theta`, :math:`K = \Phi\Phi^\top` and gradient flow on
:math:`\frac12\|f(X) - y\|^2`,

.. math:: f_t(x) = f_0(x) + K(x, X)K^{-1}(I - e^{-Kt})(y - f_0(X)),

so each eigendirection of the error decays as :math:`e^{-\lambda_it}`, and the limit interpolates.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.1.2, Theorem 54.
:kind: theorem
:cost: instant
:covers: kernel-gradient-flow-dynamics
:erratum: [missing hypothesis] The formula of Section 7.1.2 has no f_0: it needs theta_0 = 0 (at
    t = 0 it gives 0), and K_x lacks a transpose. [possible OCR artefact] In (7.11)-(7.12) the
    exponential shows K(x, X) t, a row; the matrix K(X, X) t is meant.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from scipy.integrate import solve_ivp
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.kernels.learning import KernelFlow


class Given(NamedTuple):
    """Features of training inputs and of a new one, targets, where training starts."""

    phi: Float[Tensor, "n p"]
    at: Float[Tensor, " p"]
    y: Float[Tensor, " n"]
    start: Float[Tensor, " p"]
    linear: bool  # else f = Φ tanh(θ)


class KernelGradientFlow(Claim[Given]):
    n: int = option(4, low=1, high=50)  # training inputs
    p: int = option(10, low=1, high=200)  # parameters
    times: tuple[int, ...] = (1, 2, 5, 20)  # at which outputs are compared
    relation = equals(ulps=2**28, scale=1.0)  # the integration is asked for 1e-10

    def given(self, rng: Generator) -> Given:
        """Gaussian features, targets and start."""
        phi, at, y, start = (
            torch.randn(*shape, generator=rng, dtype=torch.float64)
            for shape in ((self.n, self.p), (self.p,), (self.n,), (self.p,))
        )
        return Given(phi / self.p**0.5, at / self.p**0.5, y, start, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Linearity."""
        yield Hypothesis("the model is linear in its parameters", given.linear)

    def predict(self, given: Given) -> list[float]:
        """The closed form."""
        return [self._closed(given, float(t)) for t in self.times]

    def measure(self, given: Given) -> list[float]:
        """The parameters' equation, integrated."""
        return _integrated(given, self.times)

    def counterexample(self, rng: Generator) -> Given:
        """Saturating parameters: the kernel changes on the way."""
        return self.given(rng)._replace(linear=False)

    def figure(self, given: Given) -> Figure:
        """The output over time."""
        grid = [0.25 * k for k in range(1, 81)]
        return Figure(
            "Training in function space",
            x="t",
            y="f_t(x)",
            marks=(
                Curve(
                    [self._closed(given, t) for t in grid], x=grid,
                    label="f₀ + K(x, X)K⁻¹(I - e^(-Kt))(y - f₀)", role="predicted",
                ),
                Points(grid[3::8], _integrated(given, tuple(grid[3::8])), label="θ' = -∇L"),
            ),
        )  # fmt: skip

    def _closed(self, given: Given, t: float) -> float:
        start = given.start if given.linear else given.start.tanh()
        flow = KernelFlow(given.phi @ given.phi.T, given.y, given.phi @ start)
        return float(flow.at((given.phi @ given.at)[None], t)[0] + given.at @ start)


def _integrated(given: Given, times: tuple[float, ...]) -> list[float]:
    phi, y, at = (t.numpy() for t in (given.phi, given.y, given.at))

    def output(theta):  # noqa: ANN001, ANN202 - NumPy arrays
        return theta if given.linear else np.tanh(theta)

    def speed(_, theta):  # noqa: ANN001, ANN202
        slope = 1.0 if given.linear else 1 - np.tanh(theta) ** 2
        return slope * (phi.T @ (y - phi @ output(theta)))

    run = solve_ivp(
        speed, (0, max(times)), given.start.numpy(), t_eval=times, rtol=1e-11, atol=1e-12,
        method="DOP853",
    )  # fmt: skip
    return [float(at @ output(column)) for column in run.y.T]
