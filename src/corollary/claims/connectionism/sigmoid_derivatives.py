r"""Derivatives of the sigmoid are polynomials in the sigmoid.

From :math:`\sigma'=\sigma(1-\sigma)` follows, order by order,

.. math:: \sigma^{(k)}=P_k(\sigma),\qquad P_0(s)=s,\qquad P_{k+1}(s)=s(1-s)\,P_k'(s),

so :math:`\sigma''=\sigma(1-\sigma)(1-2\sigma)`, and :math:`\sigma` is infinitely differentiable.
Only the logistic equation is used: each solution :math:`\sigma(z+c)` has the same polynomials,
while a steeper sigmoid :math:`\sigma(\beta z)` solves another equation and has not.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.3; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Proposition 3.
:kind: identity
:uses: chain_rule
:covers: sigmoid-derivatives
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.connectionism.sigmoid import sigmoid_derivative_polynomial


class Given(NamedTuple):
    z: Float[Tensor, " k"]  # where to look
    c: float  # shift
    beta: float  # steepness; 1 solves the logistic equation

    def phi(self, z: Tensor) -> Tensor:
        """The activation."""
        return torch.sigmoid(self.beta * z + self.c)

    def derivatives(self, z: Tensor, order: int) -> list[Tensor]:
        """Orders 1 to ``order`` by autograd on autograd."""
        z = z.clone().requires_grad_(True)
        value, out = self.phi(z), []
        for _ in range(order):
            (value,) = torch.autograd.grad(value.sum(), z, create_graph=True)
            out.append(value.detach())
        return out


def polynomial(s: Tensor, k: int) -> Tensor:
    """The k-th polynomial at s."""
    coefficients = torch.tensor(sigmoid_derivative_polynomial(k)).to(s)
    return s[:, None] ** torch.arange(len(coefficients)).to(s) @ coefficients


class SigmoidDerivatives(Claim[Given]):
    k: int = 61  # points
    order: int = option(5, low=1, high=6)  # highest derivative
    reach: float = option(6.0, low=0.1, high=30.0)  # points lie in [-reach, reach]

    relation = equals(ulps=65536, scale=1.0)  # P_6 adds terms of size up to 3e3 that cancel

    supposes = Suppose(
        "φ solves φ' = φ(1 − φ)",
        lambda g: near(g.derivatives(g.z, 1)[0], g.phi(g.z) * (1 - g.phi(g.z)), to=1e-12),
        "A sigmoid that is twice as steep satisfies another differential equation.",
        beta=2.0,
    )
    symbols = "P_k(σ)", "the k-th derivative by autograd"

    def given(self, rng: Generator) -> Given:
        z = torch.linspace(-self.reach, self.reach, self.k, dtype=torch.float64)
        return Given(z, float(normal(rng)), 1.0)

    def predict(self, given: Given) -> list[float]:
        s = given.phi(given.z)
        return torch.cat([polynomial(s, k) for k in range(1, self.order + 1)]).tolist()

    def measure(self, given: Given) -> list[float]:
        return torch.cat(given.derivatives(given.z, self.order)).tolist()

    @picture("Derivatives of the sigmoid", x="s = σ(z + c)", y="P_k(s)")
    def marks(self, trial: Trial[Given]) -> Marks:
        s = torch.linspace(0, 1, 201, dtype=torch.float64)
        seen = trial.given.phi(trial.given.z)
        orders = torch.tensor(trial.measured).reshape(self.order, -1)[:3]
        for k, values in enumerate(orders, start=1):
            yield Curve(polynomial(s, k), x=s, label=f"P_{k}(s)", role="predicted")
            yield Points(seen, values, label=f"order {k} by autograd")
