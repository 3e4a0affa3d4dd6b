r"""Gradient flow of a model linear in its parameters.

For :math:`f = \Phi\theta`, :math:`K = \Phi\Phi^\top` and gradient flow on
:math:`\frac12\|f(X) - y\|^2`,

.. math:: f_t(x) = f_0(x) + K(x, X)K^{-1}(I - e^{-Kt})(y - f_0(X)),

so each eigendirection of the error decays as :math:`e^{-\lambda_it}`, and the limit interpolates.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.1.2, Theorem 54.
:kind: theorem
:uses: chain_rule
:covers: kernel-gradient-flow-dynamics
:erratum: [missing hypothesis] The formula of Section 7.1.2 has no f_0: it needs theta_0 = 0 (at
    t = 0 it gives 0), and K_x lacks a transpose. [possible OCR artefact] In (7.11)-(7.12) the
    exponential shows K(x, X) t, a row; the matrix K(X, X) t is meant.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from scipy.integrate import solve_ivp
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.theory.kernels.learning import KernelFlow


class Given(NamedTuple):
    phi: Float[Tensor, "n p"]  # features of training inputs
    at: Float[Tensor, " p"]  # of a new one
    y: Float[Tensor, " n"]  # targets
    start: Float[Tensor, " p"]  # where training starts
    g: Callable[[Tensor], Tensor]  # the model is Φ g(θ)


class KernelGradientFlow(Claim[Given]):
    n: int = option(4, low=1, high=50)  # training inputs
    p: int = option(10, low=1, high=200)  # parameters
    times: tuple[float, ...] = (0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)  # times

    relation = equals(ulps=2**28, scale=1.0)  # the integration is asked for 1e-10
    supposes = Suppose(
        "the model is linear in its parameters",
        lambda g: near(g.g(2 * g.start), 2 * g.g(g.start)),
        "If the model is not linear in its parameters, the kernel changes during training.",
        g=lambda g: torch.tanh,
    )
    symbols = "f₀ + K(x, X)K⁻¹(I − e^(−Kt))(y − f₀)", "f_t(x) by θ' = −∇L"
    rows = "t = {times}"
    shows = Along("Training in function space", x="t", y="f_t(x)", at="times")

    def given(self, rng: Generator) -> Given:
        phi, at = (normal(rng, k, self.p) / self.p**0.5 for k in (self.n, 1))
        return Given(phi, at[0], normal(rng, self.n), normal(rng, self.p), lambda t: t)

    def predict(self, given: Given) -> list[float]:
        phi, at, y, start, g = given
        flow = KernelFlow(phi @ phi.T, y, phi @ g(start))
        return [float(flow.at((phi @ at)[None], t)[0] + at @ g(start)) for t in self.times]

    def measure(self, given: Given) -> list[float]:
        phi, at, y, start, g = given

        def speed(_: float, theta: Any) -> Any:
            leaf = torch.tensor(theta, requires_grad=True)
            loss = (y - phi @ g(leaf)).square().sum() / 2
            return -torch.autograd.grad(loss, leaf)[0].numpy()

        ends, limits = (0, max(self.times)), {"rtol": 1e-11, "atol": 1e-12}
        run = solve_ivp(speed, ends, start.numpy(), "DOP853", t_eval=self.times, **limits)
        return [float(at @ g(torch.from_numpy(theta))) for theta in run.y.T.copy()]
