r"""How much a state still feels of an earlier one.

.. math:: \frac{\partial z_i}{\partial z_t}=\dot\Phi_iU\,\dot\Phi_{i-1}U\cdots\dot\Phi_{t+1}U,
   \qquad\Bigl\|\frac{\partial z_i}{\partial z_t}\Bigr\|_2\le(\alpha\,\sigma_1(U))^{i-t}
   \quad\text{if }|\varphi'|\le\alpha .

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Pascanu, Mikolov and Bengio (2013), "On the
    difficulty of training recurrent neural networks".
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.networks.activations import HYPERBOLIC, Activation
from corollary.theory.sequences.bptt import elman_run

Order = Literal["time", "reversed"]


def step_jacobians(
    U: Float[Tensor, "m m"],
    V: Float[Tensor, "m n"],
    x: Float[Tensor, "T n"],
    *,
    phi: Activation = HYPERBOLIC,
) -> Float[Tensor, "T m m"]:
    r"""The factors :math:`\partial z_t/\partial z_{t-1}=\dot\Phi_tU` along a sequence.

    Example:
        >>> U, x = torch.eye(2) / 2, torch.zeros(3, 2)
        >>> step_jacobians(U, torch.eye(2), x)[0].tolist()
        [[0.5, 0.0], [0.0, 0.5]]
    """
    run = elman_run(U, V, U, x, phi=phi)  # no outputs are wanted: U stands in for W
    return phi.derivative(run.s)[:, :, None] * U


def state_jacobians(
    J: Float[Tensor, "T m m"], t: int = 0, *, order: Order = "time"
) -> Float[Tensor, "k m m"]:
    r""":math:`\partial z_i/\partial z_t` for :math:`i=t,\dots,T`, the largest index leftmost.

    Args:
        J: The factors of :func:`step_jacobians`, for i = 1, ..., T.
        t: The earlier state, 0 <= t <= T.
        order: ``"reversed"`` multiplies the other way round, which is wrong unless the factors
            commute.

    Example:
        >>> J = torch.tensor([[[0.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]])
        >>> state_jacobians(J)[-1].tolist(), state_jacobians(J, order="reversed")[-1].tolist()
        ([[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
    """
    if not 0 <= t <= len(J):
        raise InputError(f"t must lie between 0 and T={len(J)}, got {t}")
    product = torch.eye(J.shape[1], dtype=J.dtype, device=J.device)
    out = [product]
    for factor in J[t:].unbind():
        product = factor @ product if order == "time" else product @ factor
        out.append(product)
    return torch.stack(out)


def rnn_jacobian_norms(
    U: Float[Tensor, "m m"],
    V: Float[Tensor, "m n"],
    x: Float[Tensor, "T n"],
    t: int = 0,
    *,
    phi: Activation = HYPERBOLIC,
) -> Float[Tensor, " k"]:
    r"""Spectral norms of :math:`\partial z_i/\partial z_t` for :math:`i=t,\dots,T`; O(T m^3).

    Example:
        >>> from corollary.theory.networks.activations import LINEAR
        >>> U, x = 2 * torch.eye(2, dtype=torch.float64), torch.zeros(20, 2, dtype=torch.float64)
        >>> rnn_jacobian_norms(U, U, x, phi=LINEAR)[-1].item()  # doubled twenty times
        1048576.0

    :covers: rnn-vanishing-exploding
    """
    jacobians = state_jacobians(step_jacobians(U, V, x, phi=phi), t)
    norms: Tensor = torch.linalg.matrix_norm(jacobians, ord=2)
    return norms


def jacobian_bound(
    U: Float[Tensor, "m m"], k: int, *, alpha: float | int = 1.0
) -> Float[Tensor, " k1"]:
    r"""The bound :math:`(\alpha\,\sigma_1(U))^j` for lags :math:`j=0,\dots,k`.

    Example:
        >>> jacobian_bound(torch.eye(3), 2, alpha=0.25).tolist()
        [1.0, 0.25, 0.0625]
    """
    rate: Tensor = alpha * torch.linalg.matrix_norm(U, ord=2)
    return rate ** torch.arange(k + 1, dtype=U.dtype, device=U.device)
