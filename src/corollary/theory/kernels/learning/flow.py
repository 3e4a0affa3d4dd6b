r"""Training in function space: gradient flow of a model with a constant kernel.

For :math:`L = \frac12\|f(X) - y\|^2` and :math:`\dot\theta = -\nabla L`,

.. math:: f_t(X) = y + e^{-Kt}(f_0(X) - y), \qquad
          f_t(x) = f_0(x) + K(x, X)\,K^{-1}(I - e^{-Kt})(y - f_0(X)) .

For any other loss :math:`f_t(x) = f_0(x) + K(x, X)a_t` with
:math:`\dot a = -\nabla_f L(f_0(X) + Ka)`, an equation with as many unknowns as there are outputs at
the training inputs, which is integrated numerically.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.1.2 and Theorem 54; Lee et al.
    (2019), "Wide neural networks of any depth evolve as linear models under gradient descent".
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError, NotFiniteError
from corollary.theory.prerequisites.wellformed import check_finite, check_positive
from corollary.theory.wording import span


class KernelFlow:
    r"""Gradient flow on the squared loss, at any time, from one eigendecomposition.

    Time :math:`O(n^3)` once, then :math:`O(n^2)` for each time. Directions in which K is zero to
    rounding never move.

    Example:
        >>> flow = KernelFlow(torch.eye(1), torch.ones(1), torch.zeros(1))
        >>> round(flow.train(1.0).item(), 6)  # 1 - 1/e
        0.632121

    :covers: kernel-gradient-flow-dynamics
    :erratum: [missing hypothesis] The formula of Section 7.1.2 has no f_0 and needs theta_0 = 0: at
        t = 0 it gives 0. K_x lacks a transpose. [possible OCR artefact] In (7.11)-(7.12) the
        exponential shows K(x, X) t, a row, where the n x n matrix K(X, X) t is meant.
    """

    def __init__(
        self,
        k: Float[Tensor, "n n"],
        y: Float[Tensor, "n *c"],
        f0: Float[Tensor, "n *c"] | None = None,
    ) -> None:
        if len(k) != len(y):
            raise InputError(
                f"expected one target per input, got {len(y)} targets for {len(k)} inputs"
            )
        if len(y) == 0:
            raise InputError("kernel training needs at least one input, got none")
        check_finite("k", k)
        self.f0 = torch.zeros_like(y) if f0 is None else f0
        self.rest = y - self.f0
        values, vectors = torch.linalg.eigh(k)
        self.vectors: Tensor = vectors
        cut = float(values.abs().max()) * len(k) * torch.finfo(k.dtype).eps
        if float(values[0]) < -1e3 * cut:
            raise InputError(
                "a kernel has no negative eigenvalues, but the lowest eigenvalue here is "
                f"{float(values[0]):g}"
            )
        self.values = torch.where(values > cut, values, 0.0)

    def __repr__(self) -> str:
        return (
            f"gradient flow of {len(self.values)} outputs under a constant kernel, eigenvalues "
            f"{span(self.values)}"
        )

    def _spectral(self, weights: Tensor) -> Tensor:
        """The residual at the start, with each eigendirection weighted."""
        shape = (-1, *(1,) * (self.rest.ndim - 1))
        moved: Tensor = weights.reshape(shape) * (self.vectors.T @ self.rest)
        return self.vectors @ moved

    def train(self, t: float) -> Float[Tensor, "n *c"]:
        """Outputs at the training inputs at time t, which may be infinite."""
        _check_time(t)
        moved = torch.where(self.values > 0, -torch.expm1(-self.values * t), 0.0)
        return self.f0 + self._spectral(moved)

    def coefficients(self, t: float) -> Float[Tensor, "n *c"]:
        r"""The vector :math:`K^{-1}(I - e^{-Kt})(y - f_0)`, on the range of K."""
        _check_time(t)
        safe = torch.where(self.values > 0, self.values, 1.0)
        gained = torch.where(self.values > 0, -torch.expm1(-safe * t) / safe, 0.0)
        return self._spectral(gained)

    def at(
        self,
        k_cross: Float[Tensor, "m n"],
        t: float,
        f0: Float[Tensor, "m *c"] | float = 0.0,
    ) -> Float[Tensor, "m *c"]:
        """Outputs at other inputs, from their kernel with the training inputs."""
        return f0 + k_cross @ self.coefficients(t)


def kernel_flow(
    k_cross: Float[Tensor, "m n"],
    k: Float[Tensor, "n n"],
    y: Float[Tensor, "n *c"],
    t: float,
    *,
    f0: Float[Tensor, "n *c"] | None = None,
    f0_cross: Float[Tensor, "m *c"] | float = 0.0,
) -> Float[Tensor, "m *c"]:
    """The same as one call: outputs at new inputs at time t.

    Example:
        >>> kernel_flow(torch.ones(1, 1), torch.ones(1, 1), torch.ones(1), math.inf).item()
        1.0
    """
    return KernelFlow(k, y, f0).at(k_cross, t, f0_cross)


def loss_flow(
    k: Float[Tensor, "n n"],
    loss: Callable[[Tensor], Tensor],
    f0: Float[Tensor, "n *c"],
    times: Sequence[float],
    *,
    tolerance: float = 1e-8,
) -> Float[Tensor, "times n *c"]:
    r"""The coefficients :math:`a_t` under any loss of the outputs at the training inputs.

    Then :math:`f_t(x) = f_0(x) + K(x, X)a_t`, at training inputs and elsewhere.

    Args:
        k: Kernel of the training inputs.
        loss: From outputs (n, c) to a number; differentiable.
        f0: Outputs at time 0.
        times: Growing, from 0 on.
        tolerance: Relative error of the integration.

    Example:
        >>> square = lambda f: ((f - 1) ** 2).sum() / 2
        >>> k, f0 = torch.eye(1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
        >>> round(loss_flow(k, square, f0, [1.0]).item(), 6)
        0.632121
    """
    from scipy.integrate import solve_ivp

    if not times or any(b <= a for a, b in zip(times, times[1:], strict=False)) or times[0] < 0:
        raise InputError(f"times must be increasing and start at 0 or later, got {list(times)}")
    _check_time(times[-1], finite=True)
    check_finite("f0", f0)
    check_positive("tolerance", tolerance)

    def speed(_: float, flat: np.ndarray) -> np.ndarray:
        a = torch.as_tensor(flat, dtype=k.dtype).reshape(f0.shape)
        f = (f0 + k @ a).requires_grad_()
        with torch.enable_grad():
            (slope,) = torch.autograd.grad(loss(f), f)
        return -slope.flatten().double().numpy()

    start = torch.zeros(f0.numel(), dtype=torch.float64).numpy()
    run = solve_ivp(
        speed,
        (0.0, times[-1]),
        start,
        method="LSODA",
        t_eval=list(times),
        rtol=tolerance,
        atol=tolerance * 1e-3,
    )
    if not run.success or run.y.shape[1] != len(times):
        raise NotFiniteError(f"the training equation could not be integrated: {run.message}")
    return torch.as_tensor(run.y.T.copy(), dtype=k.dtype).reshape(len(times), *f0.shape)


def _check_time(t: float, *, finite: bool = False) -> None:
    if not t >= 0 or (finite and math.isinf(t)):
        raise InputError(f"time must be at least 0, got {t}")
