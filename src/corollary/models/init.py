r"""First weights, drawn in place.

Normal numbers of variance :math:`\sigma^2`, or uniform ones on
:math:`[-\sqrt3\sigma,\sqrt3\sigma]`, which have the same variance; :math:`\sigma` from the fans of
the layer; or an orthogonal matrix. A weight has shape (out, in) or (out, in, kernel...), as in
torch, and is returned.

:source: Perez Jensen (2025), Deep Learning, Section 8.1; Saxe, McClelland and Ganguli (2014),
    "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks".
"""

import math
from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.tricks.initialisation import (
    Nonlinearity,
    kaiming_std,
    lecun_std,
    xavier_std,
)

Law = Literal["normal", "uniform"]


@torch.no_grad()
def normal_(W: Float[Tensor, "*s"], std: float, *, rng: Generator) -> Float[Tensor, "*s"]:
    """Normal numbers with standard deviation ``std``.

    Example:
        >>> W = normal_(torch.empty(300, 300), 0.1, rng=torch.Generator().manual_seed(0))
        >>> round(W.std().item(), 2)
        0.1

    :covers: fixed-variance-init
    """
    _check_std(std)
    return W.normal_(0.0, std, generator=rng)


@torch.no_grad()
def uniform_(W: Float[Tensor, "*s"], std: float, *, rng: Generator) -> Float[Tensor, "*s"]:
    r"""Uniform numbers on :math:`[-\sqrt3\sigma,\sqrt3\sigma]`, of standard deviation ``std``.

    Example:
        >>> W = uniform_(torch.empty(300, 300), 0.1, rng=torch.Generator().manual_seed(0))
        >>> round(W.std().item(), 2), bool(W.abs().max() <= 0.1 * 3**0.5)
        (0.1, True)

    :covers: fixed-variance-init
    """
    _check_std(std)
    edge = math.sqrt(3) * std
    return W.uniform_(-edge, edge, generator=rng)


def lecun_(
    W: Float[Tensor, "m n *k"], law: Law = "normal", *, rng: Generator
) -> Float[Tensor, "m n *k"]:
    r"""Variance 1/fan-in: inputs of mean 0 and variance :math:`\gamma^2` give outputs of it.

    Example:
        >>> W = lecun_(torch.empty(200, 400), rng=torch.Generator().manual_seed(0))
        >>> round(400 * W.var().item(), 1)
        1.0

    :covers: lecun-init
    :erratum: [notation] The notes call gamma the standard deviation of the inputs but carry it as
        their variance, and end with 'gamma'; it is gamma^2: inputs of standard deviation 3 give
        outputs of variance 9. They do not say that inputs must have mean 0: with mean 3 and
        variance 0 the variance over the weights is 9, not 0. That variance is kept is right.
    """
    return _drawn(W, lecun_std(fans(W)[0]), law, rng)


def xavier_(
    W: Float[Tensor, "m n *k"], gain: float = 1.0, law: Law = "normal", *, rng: Generator
) -> Float[Tensor, "m n *k"]:
    """Variance 2/(fan-in + fan-out), times the squared gain.

    Example:
        >>> W = xavier_(torch.empty(300, 100), rng=torch.Generator().manual_seed(0))
        >>> round(200 * W.var().item(), 1)
        1.0

    :covers: xavier-init
    :test: tests/models/test_init.py
    """
    n, m = fans(W)
    return _drawn(W, xavier_std(n, m, gain), law, rng)


def kaiming_(
    W: Float[Tensor, "m n *k"],
    nonlinearity: Nonlinearity = "relu",
    law: Law = "normal",
    *,
    slope: float = 0.0,
    rng: Generator,
) -> Float[Tensor, "m n *k"]:
    """Variance 2/fan-in before ReLU (leaky with ``slope``), 1/fan-in before nothing.

    Example:
        >>> W = kaiming_(torch.empty(200, 400), rng=torch.Generator().manual_seed(0))
        >>> round(400 * W.var().item(), 1)
        2.0

    :covers: kaiming-init
    """
    return _drawn(W, kaiming_std(fans(W)[0], nonlinearity, slope), law, rng)


@torch.no_grad()
def orthogonal_(
    W: Float[Tensor, "m n *k"], gain: float = 1.0, *, rng: Generator
) -> Float[Tensor, "m n *k"]:
    r"""A matrix with orthonormal rows or columns, uniformly distributed, times ``gain``.

    The QR factorisation of a normal matrix with the signs of R's diagonal moved into Q; without
    them the law would not be uniform. Kernels count as columns. Time
    :math:`O(mn\min(m,n))`.

    Example:
        >>> W = orthogonal_(torch.empty(3, 5), rng=torch.Generator().manual_seed(0))
        >>> torch.allclose(W @ W.T, torch.eye(3), atol=1e-6)
        True

    :covers: orthogonal-init
    :erratum: [wrong] The notes put the benefit down to eigenvalues +-1. Orthogonal matrices have
        complex eigenvalues of modulus 1 (a rotation by 90 degrees has +-i), and rectangular ones
        have none; it is the singular values that are all 1. The claim orthogonal_depth counts.
    """
    _check_std(gain)
    m, n = len(W), W[0].numel()
    normal = torch.randn(
        max(m, n), min(m, n), generator=rng, device=rng.device, dtype=torch.float64
    )
    Q, R = torch.linalg.qr(normal)
    Q = Q * torch.where(R.diagonal() < 0, -1.0, 1.0)
    return W.copy_(gain * (Q if m >= n else Q.T).reshape(W.shape))


def fans(W: Float[Tensor, "m n *k"]) -> tuple[int, int]:
    """Inputs of a unit and outputs of an input, kernels included.

    Example:
        >>> fans(torch.empty(8, 3, 5, 5))
        (75, 200)
    """
    if W.numel() == 0:
        raise InputError(f"a weight needs at least one entry, got shape {tuple(W.shape)}")
    return W[0].numel(), W[:, 0].numel()


def _drawn(W: Tensor, std: float, law: Law, rng: Generator) -> Tensor:
    if law not in ("normal", "uniform"):
        raise InputError(f"law must be normal or uniform, got {law!r}")
    return normal_(W, std, rng=rng) if law == "normal" else uniform_(W, std, rng=rng)


def _check_std(std: float) -> None:
    if not 0 < std < math.inf:
        raise InputError(f"the standard deviation or gain must be positive, got {std}")
