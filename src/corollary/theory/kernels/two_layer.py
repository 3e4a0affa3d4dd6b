r"""The tangent kernels of two-layer ReLU networks in closed form.

First layer trained only, unit inputs, :math:`u = \langle x_i, x_j\rangle`:

.. math:: H^\infty_{ij} = u\,\frac{\pi - \arccos u}{2\pi}
          = \frac u4 + \frac1{2\pi}\sum_{l\ge0}\frac{(2l)!}{4^l(l!)^2}\frac{u^{2l+2}}{2l+1}.

Both layers trained, :math:`f = \sqrt{2/m}\sum_j v_j(\langle w_j, x\rangle)_+`:

.. math:: k(x, x') = \|x\|\|x'\|\,\kappa(u), \qquad
          \kappa(u) = \tfrac{2u}\pi(\pi - \arccos u) + \tfrac1\pi\sqrt{1-u^2} .

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercises 1-2; Perez Jensen (2025),
    Deep Learning, Section 9; Du, Zhai, Poczos and Singh (2019), "Gradient descent provably
    optimizes over-parameterized neural networks"; Arora et al. (2019), "Fine-grained analysis of
    optimization and generalization for overparameterized two-layer neural networks"; Bietti and
    Mairal (2019), "On the inductive bias of neural tangent kernels".
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.kernels.arc_cosine import relu_dual, relu_dual_derivative


def h_infinity(x: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    """The infinite-width Gram matrix of the first layer's gradients; inputs of length 1.

    Example:
        >>> h_infinity(torch.eye(2)).tolist()
        [[0.5, 0.0], [0.0, 0.5]]

    :covers: ntk-two-layer-infinite
    """
    u = _unit_products(x)
    return u * relu_dual_derivative(u)


def h_infinity_series(x: Float[Tensor, "n d"], terms: int) -> Float[Tensor, "n n"]:
    r"""The first ``terms`` terms of the power series; every one is positive semi-definite.

    Example:
        >>> first = h_infinity_series(torch.eye(2), 1)[0, 0].item()
        >>> abs(first - 0.25 - 1 / (2 * math.pi)) < 1e-6
        True

    :covers: ntk-two-layer-series
    """
    if terms < 0:
        raise InputError(f"the number of terms must be at least 0, got {terms}")
    return h_series(_unit_products(x), terms)


def h_series(u: Float[Tensor, "..."], terms: int) -> Float[Tensor, "..."]:
    """The partial sum at correlation u.

    Example:
        >>> h_series(torch.tensor(1.0), 0).item()
        0.25

    :covers: ntk-two-layer-series
    """
    total, power, ratio = u / 4, u * u, 1.0  # ratio = (2l)! / (4^l (l!)^2)
    for l in range(terms):
        total = total + ratio / (2 * math.pi * (2 * l + 1)) * power
        power = power * u * u
        ratio *= (2 * l + 1) / (2 * l + 2)
    return total


def ntk_relu_two_layer(
    x: Float[Tensor, "n d"], y: Float[Tensor, "m d"] | None = None, *, scale: float = 2**0.5
) -> Float[Tensor, "n m"]:
    r"""Both layers trained, for the output scaled by ``scale`` over :math:`\sqrt m`.

    Example:
        >>> ntk_relu_two_layer(torch.eye(2)).tolist()[0][0]
        2.0

    :covers: ntk-two-layer-bietti-mairal
    """
    y = x if y is None else y
    if x.shape[1] != y.shape[1]:
        raise InputError(
            f"expected x and y of the same dimension, got {x.shape[1]} and {y.shape[1]}"
        )
    lengths = torch.outer(x.norm(dim=1), y.norm(dim=1))
    u = torch.where(lengths > 0, x @ y.T / torch.where(lengths > 0, lengths, 1.0), 0.0)
    return scale**2 * lengths * (relu_dual(u) + u * relu_dual_derivative(u))


def ntk_complexity(x: Float[Tensor, "n d"], y: Float[Tensor, " n"]) -> float:
    r"""The complexity :math:`\sqrt{2\,y^\top H_\infty^{-1}y\,\mathrm{tr}H_\infty}/n` of targets.

    Cost :math:`O(n^3)`. Raises for parallel inputs, whose Gram matrix is singular.

    :covers: ntk-linear-target-bound
    """
    h = h_infinity(x)
    factor, failed = torch.linalg.cholesky_ex(h)
    pivots = factor.diagonal()
    if bool(failed) or bool(pivots.min() < 1e-7 * pivots.max()):
        raise InputError("H_inf is singular, because two inputs are parallel; remove duplicates")
    solved = torch.cholesky_solve(y[:, None], factor)[:, 0]
    return math.sqrt(2 * float(y @ solved) * float(h.trace())) / len(y)


def linear_target_bound(beta: Float[Tensor, " d"], n: int) -> float:
    r"""What the complexity of :math:`y = X\beta` is at most: :math:`2\|\beta\|/\sqrt n`.

    From :math:`H_\infty \succeq XX^\top/4` and :math:`\mathrm{tr}H_\infty = n/2`.

    Example:
        >>> linear_target_bound(torch.tensor([3.0, 4.0]), 100)
        1.0
    """
    return 2 * float(beta.norm()) / math.sqrt(n)


def _unit_products(x: Tensor) -> Tensor:
    lengths = x.norm(dim=1)
    if not bool(((lengths - 1).abs() < 1e-5).all()):
        raise InputError(
            "the inputs must have length 1, but their lengths go from "
            f"{float(lengths.min()):g} to {float(lengths.max()):g}; divide each row by its "
            "norm"
        )
    u = (x @ x.T).clamp(-1, 1)
    u = torch.where(u > 1 - 8 * torch.finfo(u.dtype).eps, torch.ones_like(u), u)  # equal inputs
    return u.fill_diagonal_(1.0)
