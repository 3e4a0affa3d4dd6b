r"""Rayleigh quotient: the smallest value of uᵀAu/uᵀu is the smallest eigenvalue.

For symmetric A

.. math:: \min_{u\ne0}\frac{u^\top Au}{u^\top u}=\lambda_{\min}(A),

so :math:`A\succeq0`, which says :math:`u^\top Au\ge0` for all u, iff no eigenvalue is negative.
Without symmetry eigenvalues do not decide: :math:`\begin{pmatrix}1&-10\\0&1\end{pmatrix}` has 1
twice, and :math:`u=(1,1)` gives :math:`-8`.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 1.1.3 and 1.4.1, Definition 5.
:kind: theorem
:uses: orthogonal_inverse
:covers: loewner-order
:erratum: [missing hypothesis] Section 1.4.1 recalls the equivalence of u^T A u >= 0 with
    non-negative eigenvalues for "a matrix"; it needs symmetry (stated in 1.1.3 and Definition 5).
    [[1, -10], [0, 1]] has eigenvalues 1, 1, but the least Rayleigh quotient is -4.
"""

import math
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Curve, Level, Marks, picture


class Given(NamedTuple):
    A: Float[Tensor, "d d"]
    start: Float[Tensor, " d"]  # direction to search from


def shear(given: Given) -> Given:
    """A shear has eigenvalues 1 and 1, but uᵀAu = -4 in some direction u."""
    A = torch.tensor([[1.0, -10.0], [0.0, 1.0]], dtype=torch.float64)
    return Given(A, torch.tensor([1.0, 0.5], dtype=torch.float64))


class RayleighQuotient(Claim[Given]):
    d: int = option(5, low=2, high=50)  # size of A

    relation = equals(ulps=2**24, scale=1.0)  # at a gradient of 1e-7 the value is good to 1e-12
    supposes = Suppose("A is symmetric", lambda g: near(g.A, g.A.T, to=1e-12), without=shear)
    symbols = "smallest eigenvalue", "smallest uᵀAu / uᵀu"

    def given(self, rng: Generator) -> Given:
        a = normal(rng, self.d, self.d)
        return Given((a + a.T) / 2, normal(rng, self.d))

    def predict(self, given: Given) -> float:
        return float(torch.linalg.eigvals(given.A).real.min())

    def measure(self, given: Given) -> float:
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

    @picture("Eigenvalues bound uᵀAu only for symmetric A", x="angle of u", y="uᵀAu for unit u")
    def marks(self, trial: Trial[Given]) -> Marks:
        t = torch.linspace(0, math.pi, 181, dtype=torch.float64)

        def turned(A: Tensor) -> Tensor:
            """The quotient in the plane of the outermost eigenvectors of the symmetric part."""
            v: Tensor = torch.linalg.eigh((A + A.T) / 2).eigenvectors
            u = t.cos()[:, None] * v[:, 0] + t.sin()[:, None] * v[:, -1]
            return ((u @ A) * u).sum(dim=1)

        yield Level(trial.comparison.predicted[0], label="smallest eigenvalue of A")
        for run in trial.all:
            yield Curve(turned(run.given.A), t, label=run.words or "A, symmetric", role=run.role)
