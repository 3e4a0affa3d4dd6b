r"""Gradient flow: the path that gradient descent follows when its steps become small.

.. math:: \dot x(t)=-\nabla f(x(t)),\qquad \frac{d}{dt}f(x(t))=-\|\nabla f(x(t))\|^2 .

Gradient descent is its explicit Euler scheme, :math:`x_k\approx x(k\eta)` up to :math:`O(\eta)` on
a fixed interval.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.2 and Figure 5.2.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function, gradient, scalar
from corollary.theory.prerequisites.wellformed import check_finite, check_positive


class Flow(NamedTuple):
    """The flow at some times, the first of which is 0."""

    t: Float[Tensor, " k"]
    x: Float[Tensor, "k d"]
    f: Float[Tensor, " k"]
    dissipated: Float[Tensor, " k"]  # the integral of ||grad f||^2 up to t


def gradient_flow(
    f: Function,
    x0: Float[Tensor, " d"],
    T: float,
    *,
    times: int = 65,
    rtol: float = 1e-10,
    atol: float = 1e-12,
) -> Flow:
    r"""Solve :math:`\dot x=-\nabla f(x)` on [0, T] with error control.

    The solver is SciPy's Runge-Kutta pair of order 8 (``DOP853``) in float64; stiff flows cost
    steps in proportion to :math:`LT`. The dissipated energy is integrated along with the path.

    Example:
        >>> flow = gradient_flow(lambda x: 0.5 * (x**2).sum(), torch.ones(1), T=1.0)
        >>> round(flow.x[-1].item(), 6)  # 1/e
        0.367879

    :covers: gradient-flow
    """
    from scipy.integrate import solve_ivp

    check_finite("x0", x0)
    check_positive("T", T)
    if times < 2:
        raise InputError(f"times must be at least 2, got {times}")

    def velocity(t: float, state: np.ndarray) -> np.ndarray:
        g = gradient(f, torch.from_numpy(state[:-1]).to(x0.device))
        return np.append(-g.cpu().numpy(), float(g.square().sum()))

    start = np.append(x0.detach().cpu().double().numpy(), 0.0)
    grid = np.linspace(0.0, T, times)
    solved = solve_ivp(
        velocity, (0.0, T), start, method="DOP853", t_eval=grid, rtol=rtol, atol=atol
    )
    if not solved.success:
        raise InputError(f"the flow could not be followed up to T = {T:g}: {solved.message}")
    path = torch.from_numpy(solved.y.T.copy()).to(x0)
    values = torch.stack([scalar(f, x).detach() for x in path[:, :-1]])
    return Flow(torch.from_numpy(grid).to(x0), path[:, :-1], values, path[:, -1])
