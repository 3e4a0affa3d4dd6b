r"""Backpropagation through time for the Elman network, written out.

.. math:: z_t=\varphi(Uz_{t-1}+Vx_t),\quad z_0=0,\qquad \hat y_t=\psi(Wz_t),\qquad
   L=\sum_{t=1}^T\tfrac12\|\hat y_t-y_t\|^2 .

A weight acts at every step, so its gradient adds up what it does at each of them, the states held
fixed; what a state does to the loss is a sum over all later losses:

.. math:: \frac{\partial L}{\partial U}=\sum_t\dot\Phi_t\frac{\partial L}{\partial z_t}
   z_{t-1}^\top,\qquad \frac{\partial L}{\partial z_t}=\sum_{i\ge t}\bigl(\dot\Phi_iU\cdots
   \dot\Phi_{t+1}U\bigr)^{\!\top}\frac{\partial\ell_i}{\partial z_i},\qquad
   \dot\Phi_j=\operatorname{diag}\varphi'(Uz_{j-1}+Vx_j).

The factors do not commute: the largest index stands on the left.

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Werbos (1990), "Backpropagation through
    time: what it does and how to do it".
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.networks.activations import HYPERBOLIC, LINEAR, Activation


class ElmanRun(NamedTuple):
    """What a network computed on one sequence."""

    s: Float[Tensor, "T m"]  # U z_{t-1} + V x_t, before the activation
    z: Float[Tensor, "T m"]  # states z_1, ..., z_T
    o: Float[Tensor, "T q"]  # W z_t, before the output's activation
    y: Float[Tensor, "T q"]  # outputs


class ElmanGradients(NamedTuple):
    """Gradients of the loss."""

    U: Float[Tensor, "m m"]
    V: Float[Tensor, "m n"]
    W: Float[Tensor, "q m"]
    z: Float[Tensor, "T m"]  # of each state, through all that comes after it


def elman_run(
    U: Float[Tensor, "m m"],
    V: Float[Tensor, "m n"],
    W: Float[Tensor, "q m"],
    x: Float[Tensor, "T n"],
    *,
    phi: Activation = HYPERBOLIC,
    psi: Activation = LINEAR,
) -> ElmanRun:
    """States and outputs on a sequence, in O(T m (m + n + q)).

    Example:
        >>> one = torch.ones(1, 1)
        >>> elman_run(one / 2, one, one, torch.ones(3, 1), phi=LINEAR).z.flatten().tolist()
        [1.0, 1.5, 1.75]
    """
    _check_sequence(U, V, W, x)
    drive = x @ V.T
    z, before, states = x.new_zeros(len(U)), [], []
    for v in drive.unbind():  # indexing by t would make autograd fill a (T, m) gradient per step
        s = U @ z + v
        z = phi(s)
        before.append(s)
        states.append(z)
    stacked = torch.stack(states)
    o = stacked @ W.T
    return ElmanRun(torch.stack(before), stacked, o, psi(o))


def rnn_bptt(
    U: Float[Tensor, "m m"],
    V: Float[Tensor, "m n"],
    W: Float[Tensor, "q m"],
    x: Float[Tensor, "T n"],
    y: Float[Tensor, "T q"],
    *,
    phi: Activation = HYPERBOLIC,
    psi: Activation = LINEAR,
    window: int | None = None,
) -> ElmanGradients:
    r"""The gradients of half the squared error, by the formulas above.

    Args:
        U: Weights of the state.
        V: Weights of the input.
        W: Weights of the output.
        x: A sequence of inputs.
        y: A sequence of targets.
        phi: Activation of the state.
        psi: Activation of the output.
        window: Truncation: each loss is followed back over at most this many steps of time. All
            of them cost :math:`O(Tm^2)`, a window costs :math:`O(T\cdot\text{window}\cdot m^2)`.

    Example:
        With identities, U = 1, x = (1, 0) and y = 0 the states are 1, 1, and the first one is felt
        twice; a window of 0 feels it once.

        >>> one, x = torch.ones(1, 1), torch.tensor([[1.0], [0.0]])
        >>> rnn_bptt(one, one, one, x, 0 * x, phi=LINEAR).z.flatten().tolist()
        [2.0, 1.0]
        >>> rnn_bptt(one, one, one, x, 0 * x, phi=LINEAR, window=0).z.flatten().tolist()
        [1.0, 1.0]

    :covers: bptt-gradients
    :test: tests/theory/sequences/test_bptt.py
    """
    if window is not None and window < 0:
        raise InputError(f"window must be at least 0 steps, got {window}")
    run = elman_run(U, V, W, x, phi=phi, psi=psi)
    if y.shape != run.y.shape:
        raise InputError(f"expected targets of shape {tuple(run.y.shape)}, got {tuple(y.shape)}")
    outer = (run.y - y) * psi.derivative(run.o)  # (T, q)
    direct = outer @ W  # dl_i / dz_i
    slopes = phi.derivative(run.s)
    dz = _all_the_way(U, slopes, direct) if window is None else _window(U, slopes, direct, window)
    earlier = torch.cat([run.z.new_zeros(1, len(U)), run.z[:-1]])  # z_0, ..., z_{T-1}
    return ElmanGradients((slopes * dz).T @ earlier, (slopes * dz).T @ x, outer.T @ run.z, dz)


def _all_the_way(U: Tensor, slopes: Tensor, direct: Tensor) -> Tensor:
    """Horner's rule from the end: dL/dz_t = dl_t/dz_t + (Phi_{t+1} U)^T dL/dz_{t+1}."""
    g, out = torch.zeros_like(direct[-1]), []
    later = torch.cat([slopes[1:], torch.zeros_like(slopes[:1])])  # nothing follows the last
    for slope, own in zip(later.flip(0).unbind(), direct.flip(0).unbind(), strict=True):
        g = own + U.T @ (slope * g)
        out.append(g)
    return torch.stack(out).flip(0)


def _window(U: Tensor, slopes: Tensor, direct: Tensor, window: int) -> Tensor:
    """Follow all losses back together, one step of time a round."""
    total, signal = direct.clone(), direct
    for _ in range(min(window, len(direct) - 1)):
        # Row i holds what l_{i+k} sends to z_i; one more factor takes it from z_{i+1} to z_i.
        signal = (slopes[: len(signal)] * signal)[1:] @ U
        total[: len(signal)] += signal
    return total


def _check_sequence(U: Tensor, V: Tensor, W: Tensor, x: Tensor) -> None:
    if len(x) == 0 or len(V) != len(U) or V.shape[1] != x.shape[1] or W.shape[1] != len(U):
        shapes = ", ".join(str(tuple(a.shape)) for a in (U, V, W, x))
        raise InputError(
            f"expected U (m, m), V (m, n), W (q, m) and x (T, n) with T >= 1, got {shapes}"
        )
