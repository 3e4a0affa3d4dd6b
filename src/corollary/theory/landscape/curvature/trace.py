r"""The trace of an operator, with a confidence interval.

From q random vectors :math:`\omega_i` and :math:`Y = A\Omega = QR`, each vector is left out in
turn: with :math:`Q_i` a basis of the other columns of Y,

.. math:: t_i = \operatorname{tr} Q_i^\top A Q_i + \frac{p - q + 1}{\|\nu_i\|^2}\,
          \nu_i^\top A\, \nu_i, \qquad \nu_i = (I - Q_i Q_i^\top)\,\omega_i,

which is unbiased because :math:`\omega_i` is independent of :math:`Q_i` and :math:`\nu_i` is
uniform in direction on its complement. With :math:`s_i \propto R^{-\top} e_i` one has
:math:`Q_i Q_i^\top = Q (I - s_i s_i^\top) Q^\top`, so that all :math:`t_i` come from
:math:`Q^\top A Q`, :math:`Q^\top\Omega` and R: 2q products in all. Large eigenvalues are thereby
taken exactly and the scatter of the :math:`t_i` is that of the rest.

:source: Epperly, Tropp and Webber (2024), "XTrace: making the most of every sample in stochastic
    trace estimation", Section 2.1; Meyer, Musco, Musco and Woodruff (2021), "Hutch++".
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.landscape.curvature.eigen import as_operator, default_rng
from corollary.theory.landscape.curvature.interval import Estimate, check_level, student
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature


@dataclass(frozen=True)
class Trace:
    """The trace and what it took."""

    estimate: Estimate
    products: int
    path: str

    def __float__(self) -> float:
        return self.estimate.value

    def __str__(self) -> str:
        return f"trace {self.estimate} from {self.products} products"


def trace(
    subject: Landscape | Curvature,
    *,
    rtol: float = 0.05,
    level: float = 0.95,
    max_products: int = 200,
    rng: Generator | None = None,
) -> Trace:
    r"""The trace to within ``rtol`` at confidence ``level``, or as well as the budget allows.

    Vectors are added until the Student interval of the :math:`t_i` is narrow enough. Memory: two
    vectors for each pair of products. Below ``max_products`` coordinates the trace is exact.

    Example:
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> print(trace(Explicit(torch.diag(torch.arange(4.0)))))
        trace 6 (95 % interval 6 to 6) from 4 products
    """
    A, rng = as_operator(subject), default_rng(rng)
    check_level(level)
    if max_products < 8:
        raise InputError(f"max_products must be at least 8, but it is {max_products}")
    start = A.products
    if A.size <= max(max_products // 2, 8):
        value = float(A.dense().diagonal().sum())
        return Trace(Estimate(value, value, value, level), A.products - start, A.path)
    sketch = Sketch(A, rng=rng)
    sketch.grow(8 if max_products >= 16 else max_products // 2)
    while True:
        found = sketch.estimate(level)
        wide = found.half_width > rtol * abs(found.value)
        room = max_products // 2 - sketch.q
        if not wide or room <= 0:
            return Trace(found, A.products - start, A.path)
        sketch.grow(min(room, max(2, sketch.q // 4)))


class Sketch:
    """Test vectors, the products with them, and an orthonormal basis of those (all as rows)."""

    def __init__(self, A: Curvature, *, rng: Generator) -> None:
        self.A, self.rng, self.q = A, rng, 0
        self.omega = torch.empty(0, A.size, dtype=A.dtype, device=A.device)
        self.Y, self.Q, self.Z = self.omega, self.omega, self.omega  # Z = A Q

    def grow(self, more: int) -> None:
        """Add test vectors; 2 products each."""
        omega = torch.stack([self.A.random(rng=self.rng) for _ in range(more)])
        Y = self.A.rows(omega)
        Q = Y
        for _ in range(2):  # once more, for the first pass leaves rounding behind
            Q = Q - (Q @ self.Q.T) @ self.Q
            Q = torch.linalg.qr(Q.T).Q.T
        self.omega, self.Y = torch.cat([self.omega, omega]), torch.cat([self.Y, Y])
        self.Q, self.Z = torch.cat([self.Q, Q]), torch.cat([self.Z, self.A.rows(Q)])
        self.q += more

    def estimates(self) -> Float[Tensor, " q"]:
        """The leave-one-out values, in double precision."""
        Q, omega = self.Q, self.omega
        H = (Q @ self.Z.T).double()
        H = (H + H.T) / 2
        R, W = (Q @ self.Y.T).double(), (Q @ omega.T).double()
        S = _left_out(R)
        X = W - S * (S * W).sum(0)  # coordinates of the part of omega_i inside Q_i
        quadratic = (omega * self.Y).double().sum(1) - 2 * (X * R).sum(0) + (X * (H @ X)).sum(0)
        length = omega.double().square().sum(1) - X.square().sum(0)
        outside = (self.A.size - self.q + 1) * quadratic / length
        return H.trace() - (S * (H @ S)).sum(0) + outside

    def estimate(self, level: float) -> Estimate:
        """Their mean with its Student interval."""
        t = self.estimates()
        mean, half = float(t.mean()), student(level, self.q - 1) * float(t.std()) / self.q**0.5
        return Estimate(mean, mean - half, mean + half, level)


def _left_out(R: Float[Tensor, "q q"]) -> Float[Tensor, "q q"]:
    """Unit columns orthogonal to all columns of R but one, also where R has lower rank."""
    q = len(R)
    floor = 1e-12 * float(R.diagonal().abs().max().clamp_min(1e-300))
    small = R.diagonal().abs() < floor
    safe = R + torch.diag(torch.where(small, floor, 0.0)).to(R)
    S = torch.linalg.solve(safe.T, torch.eye(q, dtype=R.dtype, device=R.device))
    return S / S.norm(dim=0)
