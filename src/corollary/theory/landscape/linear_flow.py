r"""Gradient flow of deep linear networks: conservation, alignment, end-to-end dynamics.

Matrix sensing with Gaussian measurements has, up to its noise, the objective

.. math:: \frac1{2L}\|W_L\cdots W_1-W^*\|_F^2=\frac1{2L}\mathbb E_A\langle W-W^*,A\rangle_F^2 ,
    \qquad\dot W_k=-\frac1L(W_L\cdots W_{k+1})^\top(W-W^*)(W_{k-1}\cdots W_1)^\top .

Layers are listed from the input on.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1; Arora, Cohen and Hazan
    (2018), "On the optimization of deep networks: implicit acceleration by overparameterization",
    Theorem 1; Saxe, McClelland and Ganguli (2014), "Exact solutions to the nonlinear dynamics of
    learning in deep linear neural networks".
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.landscape.deep_linear import Layers, backpropagated, product
from corollary.theory.prerequisites.wellformed import check_positive


class AlignedSvd(NamedTuple):
    """Singular value decompositions of the layers, with signs that agree from layer to layer."""

    U: list[Tensor]
    s: list[Tensor]
    V: list[Tensor]
    unique: bool  # no singular value of a layer occurs twice


class MatrixSensing:
    r"""Find :math:`W^*` from measurements :math:`\langle W^*,A_i\rangle_F`, by a product of layers.

    Example:
        >>> one = torch.ones(1, 1)
        >>> MatrixSensing(3 * one).loss([one, 2 * one]).item()  # (2 - 3)²/4
        0.25

    :covers: matrix-sensing-objective
    """

    def __init__(self, target: Float[Tensor, "k d"]) -> None:
        self.target = target

    def loss(self, Ws: Layers) -> Float[Tensor, ""]:
        r"""The population objective :math:`\frac1{2L}\|W-W^*\|_F^2`."""
        return (product(Ws) - self.target).square().sum() / (2 * len(Ws))

    def measurements(self, n: int, *, rng: Generator) -> Float[Tensor, "n k d"]:
        """Matrices with independent standard normal entries."""
        shape = (n, *self.target.shape)
        return torch.randn(shape, generator=rng, device=rng.device, dtype=self.target.dtype)

    def empirical_loss(self, Ws: Layers, A: Float[Tensor, "n k d"]) -> Float[Tensor, ""]:
        r"""The mean of :math:`\frac1{2L}\langle W-W^*,A_i\rangle^2` over the measurements."""
        return ((product(Ws) - self.target) * A).sum(dim=(1, 2)).square().mean() / (2 * len(Ws))

    def gradients(self, Ws: Layers) -> list[Tensor]:
        """Of the population objective, in every layer."""
        identity = torch.eye(Ws[0].shape[1]).to(Ws[0])
        error = (product(Ws) - self.target) / len(Ws)
        return backpropagated(Ws, identity, error)

    def flow(self, Ws: Layers, T: float, *, steps: int = 200) -> list[list[Tensor]]:
        """The layers at ``steps + 1`` times from 0 to T, by the classical Runge-Kutta method."""
        shapes = [W.shape for W in Ws]

        def velocity(w: Tensor) -> Tensor:
            return -torch.cat([g.flatten() for g in self.gradients(_split(w, shapes))])

        path = runge_kutta(velocity, torch.cat([W.flatten() for W in Ws]), T, steps=steps)
        return [_split(w, shapes) for w in path]

    def descent(self, Ws: Layers, eta: float, *, steps: int) -> list[list[Tensor]]:
        """The layers along gradient descent, which is the flow's Euler scheme."""
        check_positive("eta", eta)
        path = [[*Ws]]
        for _ in range(steps):
            pairs = zip(path[-1], self.gradients(path[-1]), strict=True)
            path.append([W - eta * g for W, g in pairs])
        return path


def runge_kutta(
    velocity: Callable[[Tensor], Tensor], start: Tensor, T: float, *, steps: int
) -> list[Tensor]:
    """The classical method of order four with equal steps; the error is O(T/steps)^4.

    Example:
        >>> path = runge_kutta(lambda w: -w, torch.ones(1, dtype=torch.float64), 1.0, steps=20)
        >>> round(path[-1].item(), 6)  # 1/e
        0.367879
    """
    check_positive("T", T)
    h, path = T / steps, [start]
    for _ in range(steps):
        w = path[-1]
        k1 = velocity(w)
        k2 = velocity(w + h / 2 * k1)
        k3 = velocity(w + h / 2 * k2)
        k4 = velocity(w + h * k3)
        path.append(w + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return path


def balancedness(Ws: Layers) -> list[Tensor]:
    r"""The differences :math:`W_{k+1}^\top W_{k+1}-W_kW_k^\top`, which gradient flow conserves.

    Example:
        >>> one = torch.ones(1, 1)
        >>> [D.item() for D in balancedness([one, 2 * one])]
        [3.0]

    :covers: balancedness-conservation
    :erratum: [missing hypothesis] (6.48) concludes W_{k+1}^T W_{k+1} = W_k W_k^T from (6.47)
        without a condition at t = 0; (6.47) conserves the difference, so the start must be
        balanced. From layers 1 and 2 it stays 3.
    """
    return [b.T @ b - a @ a.T for a, b in zip(Ws, Ws[1:], strict=False)]


def balanced_layers(
    W: Float[Tensor, "k d"], L: int, *, rng: Generator | None = None
) -> list[Tensor]:
    r"""Balanced layers with product W: :math:`R_l\Sigma^{1/L}R_{l-1}^\top`, from V to U.

    Args:
        W: The product wanted; hidden widths are min(k, d).
        L: Layers.
        rng: Draws the rotations :math:`R_l` of the hidden layers; the identity without it.

    Example:
        >>> layers = balanced_layers(torch.tensor([[8.0]]), 3)
        >>> [round(abs(w.item()), 5) for w in layers]
        [2.0, 2.0, 2.0]
    """
    if L < 1:
        raise InputError(f"at least one layer is needed, got L = {L}")
    U, s, Vh = torch.linalg.svd(W, full_matrices=False)
    turns = [Vh.T, *(_rotation(len(s), rng, W) for _ in range(L - 1)), U]
    root = torch.diag(s ** (1 / L))
    return [b @ root @ a.T for a, b in zip(turns, turns[1:], strict=False)]


def aligned_svd(Ws: Layers, *, gap: float = 1e-6) -> AlignedSvd:
    r"""Decompose each layer, with signs that agree.

    For balanced layers :math:`U_k=V_{k+1}` and :math:`\Sigma_k=\Sigma_{k+1}`. The signs of the
    columns of :math:`U_k, V_k` are chosen layer by layer to agree with the layer before. Singular
    values closer than ``gap`` times the largest make the vectors ambiguous.

    Example:
        >>> found = aligned_svd(balanced_layers(torch.diag(torch.tensor([4.0, 1.0])), 2))
        >>> torch.allclose(found.U[0], found.V[1]), found.unique
        (True, True)

    :covers: svd-alignment
    :erratum: [typo] Problem 1c) is stated for k = 1, ..., L; the pair (k, k + 1) exists for
        k <= L - 1. The decomposition called unique is so up to simultaneous signs of u_i and v_i.
    """
    Us: list[Tensor] = []
    ss: list[Tensor] = []
    Vs: list[Tensor] = []
    unique = True
    for W in Ws:
        U, s, Vh = torch.linalg.svd(W, full_matrices=False)
        V = Vh.T
        if Us and Us[-1].shape == V.shape:
            sign = torch.where((Us[-1] * V).sum(dim=0) < 0, -1.0, 1.0).to(V)
            U, V = U * sign, V * sign
        unique &= bool((s[:-1] - s[1:] > gap * s[0]).all()) and bool(s[-1] > gap * s[0])
        Us.append(U)
        ss.append(s)
        Vs.append(V)
    return AlignedSvd(Us, ss, Vs, unique)


def layer_flow(Ws: Layers, target: Float[Tensor, "k d"]) -> list[Tensor]:
    r"""Velocities of balanced layers in their aligned coordinates, with :math:`V_{L+1}=U_L`.

    .. math:: \dot W_k=\frac1LV_{k+1}\Sigma^{L-k}U_L^\top(W^*-U_L\Sigma^LV_1^\top)
        V_1\Sigma^{k-1}V_k^\top

    Example:
        >>> one = torch.ones(1, 1)
        >>> [v.item() for v in layer_flow([2 * one, 2 * one], 6 * one)]  # (6 - 4) · 2 / 2
        [2.0, 2.0]

    :covers: layer-flow-svd-form
    :erratum: [typo] The last factor is printed V_{k-1}^T; it must be U_{k-1}^T = V_k^T. For k = 1
        there is no V_0, and for k = 2, 3 the printed formula is off by the size of the velocity.
    """
    U, s, V, _ = aligned_svd(Ws)
    L, sigma = len(Ws), s[0]
    turns = [*V, U[-1]]
    error = (target - (U[-1] * sigma**L) @ V[0].T) / L
    out = []
    for k in range(1, L + 1):  # a power 0 is the identity, also where layers are not square
        v = error if k == L else (turns[k] * sigma ** (L - k)) @ (U[-1].T @ error)
        out.append(v if k == 1 else (v @ V[0] * sigma ** (k - 1)) @ turns[k - 1].T)
    return out


def end_to_end_velocity(
    W: Float[Tensor, "k d"], target: Float[Tensor, "k d"], L: int
) -> Float[Tensor, "k d"]:
    r"""The velocity of the product of balanced layers, from the product alone.

    .. math:: \dot W=\frac1L\sum_{k=1}^L[WW^\top]^{\frac{L-k}L}(W^*-W)[W^\top W]^{\frac{k-1}L}

    Example:
        >>> one = torch.ones(1, 1)
        >>> end_to_end_velocity(4 * one, 6 * one, 2).item()  # 4 (6 - 4)
        8.0

    :covers: end-to-end-flow
    """
    U, s, Vh = torch.linalg.svd(W)
    left, right = torch.zeros(len(W)).to(W), torch.zeros(W.shape[1]).to(W)
    left[: len(s)] = right[: len(s)] = s
    error = U.T @ (target - W) @ Vh.T
    weight = sum(
        left[:, None] ** (2 * (L - k) / L) * right ** (2 * (k - 1) / L) for k in range(1, L + 1)
    )
    velocity: Tensor = U @ (weight * error) @ Vh / L
    return velocity


def end_to_end_flow(
    W: Float[Tensor, "k d"], target: Float[Tensor, "k d"], L: int, T: float, *, steps: int = 200
) -> list[Tensor]:
    """The product at ``steps + 1`` times from 0 to T, without layers.

    Example:
        >>> W, target = torch.zeros(1, 1).double(), torch.ones(1, 1).double()
        >>> round(end_to_end_flow(W, target, 1, 1.0)[-1].item(), 6)  # 1 - 1/e
        0.632121
    """
    return runge_kutta(lambda w: end_to_end_velocity(w, target, L), W, T, steps=steps)


def singular_mode(
    s0: Float[Tensor, " r"], s_star: Float[Tensor, " r"], t: Float[Tensor, " q"]
) -> Float[Tensor, "q r"]:
    r"""Singular values of two balanced layers aligned with the target: logistic growth.

    .. math:: \dot s=s(s^*-s),\qquad s(t)=\frac{s^*}{1+(s^*/s_0-1)e^{-s^*t}}

    Example:
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> singular_mode(one / 2, one, torch.zeros(1).double()).item()
        0.5
    """
    return s_star / (1 + (s_star / s0 - 1) * torch.exp(-s_star * t[:, None]))


def _rotation(r: int, rng: Generator | None, like: Tensor) -> Tensor:
    if rng is None:
        return torch.eye(r).to(like)
    Q: Tensor = torch.linalg.qr(torch.randn(r, r, generator=rng, dtype=like.dtype)).Q
    return Q


def _split(w: Tensor, shapes: Sequence[torch.Size]) -> list[Tensor]:
    parts = w.split([a * b for a, b in shapes])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
