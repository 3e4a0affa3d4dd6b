r"""The trace of an operator, with a confidence interval that covers.

On an orthonormal basis Q of a Krylov space the trace is taken exactly; it soon contains the
outlying eigenvectors. The rest is averaged over random :math:`\omega_i`, independent of Q:

.. math:: t_i = \operatorname{tr} Q^\top A Q + (p - m)\,
          \frac{\nu_i^\top A\, \nu_i}{\|\nu_i\|^2}, \qquad \nu_i = (I - Q Q^\top)\,\omega_i,

which is unbiased, for :math:`\nu_i` is uniform in direction on the complement of Q. Given Q the
:math:`t_i` are independent. (In the leave-one-out form of XTrace they are not: near the rank at
which the outliers are used up its interval covered 70 % in place of 95 %.) They are skewed, too,
which their products :math:`\nu_i^\top A\nu_j` with each other tell: the interval is that of
:mod:`~corollary.theory.landscape.curvature.forms`. A larger Q sharpens the old :math:`t_i`, and the
decline of their scatter with m tells whether the next product is better spent on Q or on another
:math:`\omega`.

:source: Meyer, Musco, Musco and Woodruff (2021), "Hutch++: optimal stochastic trace estimation",
    Algorithm 1, here with a Krylov space in place of the sketch; Epperly, Tropp and Webber
    (2024), "XTrace", Section 2.3 (the normalisation).
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError, NotFiniteError
from corollary.theory.confidence.mean import student
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.eigen import as_operator
from corollary.theory.landscape.curvature.forms import trace_estimate
from corollary.theory.landscape.curvature.interval import Estimate, check_level
from corollary.theory.landscape.curvature.lanczos import Krylov
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.seeding import as_generator

FIRST = 10  # steps and probes to start with
FRESH = 6  # probes that confirm a width before it is believed


@dataclass(frozen=True)
class Trace:
    """The trace and what it took."""

    estimate: Estimate
    products: int
    path: str

    def __float__(self) -> float:
        return self.estimate.value

    def __repr__(self) -> str:
        return f"trace {self.estimate} from {self.products} products"


@of_model
def trace(
    subject: Landscape | Curvature,
    *,
    rtol: float = 0.05,
    level: float = 0.95,
    max_products: int = 200,
    rng: int | Generator = 0,
) -> Trace:
    r"""The trace to within ``rtol`` at confidence ``level``, or as well as the budget allows.

    Memory: two vectors a probe, one a Krylov step. With no more than ``max_products`` coordinates
    the trace is exact.

    Example:
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> print(trace(Explicit(torch.diag(torch.arange(4.0)))))
        trace 6 (95 % interval 6 to 6) from 4 products
    """
    A, rng = as_operator(subject), as_generator(rng)
    check_level(level)
    if max_products < 2 * FIRST:
        raise InputError(f"max_products must be at least {2 * FIRST}, got {max_products}")
    start = A.products
    if A.size <= max_products:
        value = float(A.dense().diagonal().cpu().double().sum())
        if value != value:
            raise NotFiniteError("the trace is not finite")
        return Trace(Estimate(value, value, value, level), A.products - start, A.path)
    deflated = Deflated(A, max_products, rng=rng)
    deflated.deepen(FIRST)
    deflated.probe(FIRST)
    confirmed = False
    while True:
        found = deflated.estimate(level)
        room, narrow = max_products - (A.products - start), rtol * abs(found.value)
        if (found.half_width <= narrow and confirmed) or room <= 0:
            return Trace(found, A.products - start, A.path)
        if found.half_width <= narrow:  # stopping at the first narrow width would favour luck
            deflated.probe(min(FRESH, room))
            confirmed = True
        else:
            deflated.spend(room, narrow, level)
            confirmed = False


class Deflated:
    r"""A Krylov basis, and probes for what lies outside it.

    Of the probes only products :math:`\omega_i^\top A\omega_j`, :math:`\omega_i^\top\omega_j` and
    coordinates :math:`x = Q\omega` in the basis are needed: :math:`Q A \omega = T x`, for A maps
    the multiplied basis vectors into the basis.
    """

    def __init__(self, A: Curvature, capacity: int, *, rng: Generator) -> None:
        self.A, self.rng = A, rng
        self.space = Krylov(A, capacity, rng=rng)
        self.omega = torch.empty(0, A.size, dtype=A.dtype, device=A.device)
        self.forms = torch.empty(0, 0, dtype=torch.float64)  # omega_i' A omega_j
        self.gram = torch.empty(0, 0, dtype=torch.float64)  # omega_i' omega_j
        self.X = torch.empty(0, 0, dtype=torch.float64)  # coordinates, one column a probe

    def deepen(self, steps: int) -> None:
        """Grow the basis; one product per step."""
        for _ in range(steps):
            self.space.step()
        old, new = self.X.shape[0], self.space.held
        rows = (self.space.Q[old:new] @ self.omega.T).cpu().double()
        self.X = torch.cat([self.X.reshape(old, len(self.omega)), rows])

    def probe(self, more: int) -> None:
        """Add probes; one product each."""
        omega = torch.stack([self.A.random(rng=self.rng) for _ in range(more)])
        columns = (self.space.Q[: self.space.held] @ omega.T).cpu().double()
        self.X = torch.cat([self.X, columns], dim=1)
        self.omega = torch.cat([self.omega, omega])
        for w in omega:
            self._meet(w)

    def _meet(self, w: Tensor) -> None:
        """The products of a new probe, with and without A, with itself and those before it."""
        both = torch.stack([self.A.product(w), w]) @ self.omega[: len(self.gram) + 1].T
        self.forms, self.gram = (
            _bordered(matrix, row)
            for matrix, row in zip((self.forms, self.gram), both.cpu().double(), strict=True)
        )

    def values(self, m: int | None = None) -> Float[Tensor, " g"]:
        """The unbiased values, with the first ``m`` basis vectors or all multiplied ones."""
        m = self.space.m if m is None else m
        outside, overlaps = self._outside(m)
        inside = float(np.trace(self.space.T[:m, :m]))
        return (self.A.size - m) * outside.diagonal() / overlaps.diagonal() + inside

    def estimate(self, level: float) -> Estimate:
        """The mean of the values with its interval."""
        m = self.space.m
        outside, overlaps = self._outside(m)
        length = overlaps.diagonal().sqrt()
        N = (overlaps / length / length[:, None]).numpy()
        X = (outside / length / length[:, None] * (self.A.size - m)).numpy()
        found, inside = trace_estimate(X, N, level), float(np.trace(self.space.T[:m, :m]))
        return Estimate(found.value + inside, found.low + inside, found.high + inside, level)

    def _outside(self, m: int) -> tuple[Float[Tensor, "g g"], Float[Tensor, "g g"]]:
        """Products of what m basis vectors leave of the probes, with A and with each other."""
        T = torch.from_numpy(self.space.T[:m, : self.space.held].copy())
        X = self.X[:m]
        cross = X.T @ (T @ self.X)
        return self.forms - cross - cross.T + X.T @ (T[:, :m] @ X), self.gram - X.T @ X

    def spend(self, room: int, half: float, level: float) -> None:
        """Use some of the products that are left where they promise the narrowest interval."""
        g, m = len(self.omega), self.space.m
        now, before = float(self.values().std()), float(self.values(m // 2).std())
        wanted = (student(g - 1, level) * now / max(half, 1e-300)) ** 2 - g
        horizon = min(max(wanted, 2.0), room)  # probes that would do, or all that can be had
        deeper = m // 2  # over as many steps the scatter fell by now / before
        better = now / max(before, 1e-300) * (g + horizon) ** 0.5
        if horizon > deeper and better < (g + horizon - deeper) ** 0.5:
            self.deepen(deeper)
        else:
            self.probe(int(min(max(horizon / 2, 2, g // 10), room)))


def _bordered(matrix: Float[Tensor, "g g"], row: Float[Tensor, " k"]) -> Float[Tensor, "k k"]:
    """A symmetric matrix with one more row and column."""
    out = torch.nn.functional.pad(matrix, (0, 1, 0, 1))
    out[-1] = out[:, -1] = row
    return out
