r"""Positive semi-definite by eigenvalues.

For symmetric A

.. math:: \min_{u\ne0}\frac{u^\top Au}{u^\top u}=\lambda_{\min}(A),

so :math:`A\succeq0`, which says :math:`u^\top Au\ge0` for all u, iff no eigenvalue is negative.
Without symmetry eigenvalues do not decide: :math:`\begin{pmatrix}1&-10\\0&1\end{pmatrix}` has 1
twice, and :math:`u=(1,1)` gives :math:`-8`.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 1.1.3 and 1.4.1, Definition 5.
:kind: theorem
:cost: instant
:covers: loewner-order
:erratum: [missing hypothesis] Section 1.4.1 recalls the equivalence of u^T A u >= 0 with
    non-negative eigenvalues for "a matrix"; it needs symmetry (stated in 1.1.3 and Definition 5).
    [[1, -10], [0, 1]] has eigenvalues 1, 1, but the least Rayleigh quotient is -4.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option


class Given(NamedTuple):
    """A square matrix and a direction to search from."""

    A: Float[Tensor, "d d"]
    start: Float[Tensor, " d"]


class RayleighQuotient(Claim[Given]):
    d: int = option(5, low=2, high=50)  # size of A
    relation = equals(ulps=2**24, scale=1.0)  # at a gradient of 1e-7 the value is good to 1e-12

    def given(self, rng: Generator) -> Given:
        """A normal symmetric matrix."""
        a = torch.randn(self.d, self.d, generator=rng, dtype=torch.float64)
        return Given((a + a.T) / 2, torch.randn(self.d, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Symmetry."""
        off = float((given.A - given.A.T).abs().max())
        yield Hypothesis("A is symmetric", off <= 1e-12, f"largest difference {off:.2g}")

    def predict(self, given: Given) -> float:
        """The least (real part of an) eigenvalue."""
        return float(torch.linalg.eigvals(given.A).real.min())

    def measure(self, given: Given) -> float:
        """Minimisation of the quotient by a quasi-Newton method."""
        from scipy.optimize import minimize

        A = given.A.numpy()

        def quotient(u: np.ndarray) -> tuple[float, np.ndarray]:
            value = u @ A @ u / (u @ u)
            return value, ((A + A.T) @ u - 2 * value * u) / (u @ u)

        u, least = given.start.numpy(), math.inf
        for _ in range(4):  # long steps make u long and its gradient small: start anew at length 1
            found = minimize(quotient, u / np.linalg.norm(u), jac=True, options={"gtol": 1e-8})
            u, least = found.x, min(least, float(found.fun))
        return least

    def counterexample(self, rng: Generator) -> Given:
        """A shear."""
        shear = torch.tensor([[1.0, -10.0], [0.0, 1.0]], dtype=torch.float64)
        return Given(shear, torch.tensor([1.0, 0.5], dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """The quotient in the plane of two eigenvectors, and that of the shear."""
        values, vectors = torch.linalg.eigh((given.A + given.A.T) / 2)
        t = torch.linspace(0, math.pi, 181, dtype=torch.float64)
        shear = 1 - 10 * t.sin() * t.cos()  # of [[1, -10], [0, 1]], both eigenvalues 1
        u = t.cos()[:, None] * vectors[:, 0] + t.sin()[:, None] * vectors[:, -1]
        return Figure(
            "Eigenvalues bound uᵀAu only for symmetric A",
            x="angle of u",
            y="uᵀAu for unit u",
            marks=(
                Curve(((u @ given.A) * u).sum(dim=1), t, label="A, symmetric"),
                Level(float(values[0]), label="smallest eigenvalue of A"),
                Curve(shear, t, label="[[1, −10], [0, 1]], eigenvalues 1", role="other"),
            ),
        )
