r"""Norm-based Rademacher bounds for deep ReLU networks, and how much of them is real.

For :math:`x\mapsto W_L\sigma(W_{L-1}\cdots\sigma(W_1x))` of any widths with
:math:`\|W_l\|_F\le B_l` and n points of length at most D

.. math:: \hat{\mathcal R}_S\le\frac{2^LD\prod_lB_l}{\sqrt n},\qquad
   \hat{\mathcal R}_S\le\frac{(1+\sqrt{2L\log2})\,D\prod_lB_l}{\sqrt n}.

Both are free of the width; the first is exponential in the depth even for :math:`B=1`, the second
is not. With two layers the supremum is attained by a single unit.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 65; Neyshabur, Tomioka and Srebro
    (2015), "Norm-based capacity control in neural networks"; Golowich, Rakhlin and Shamir (2018),
    "Size-independent sample complexity of neural networks", Theorem 1.
:covers: rademacher-deep-relu
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.generalization.conditions import Number, check_nonnegative, check_sample
from corollary.theory.prerequisites.wellformed import check_finite

Version = Literal["peeling", "golowich"]


def deep_relu_bound(
    B: Number | Sequence[Number],
    L: int,
    n: int,
    *,
    radius: Number = 1.0,
    version: Version = "peeling",
) -> float:
    r"""The bound on the Rademacher complexity of an L-layer network.

    Args:
        B: Frobenius norm allowed to each layer, or one for each of the L layers.
        L: Layers.
        n: Points.
        radius: Length allowed to the points.
        version: ``peeling`` for :math:`(2B)^L/\sqrt n`, ``golowich`` for the one without
            :math:`2^L`.

    Example:
        >>> deep_relu_bound(1.0, 2, 100), round(deep_relu_bound(1.0, 2, 100, version="golowich"), 4)
        (0.4, 0.2665)
    """
    check_sample("L", L)
    check_sample("n", n)
    check_nonnegative("radius", radius)
    norms = [float(B)] * L if isinstance(B, int | float) else [float(b) for b in B]
    if len(norms) != L or not all(0 <= b < math.inf for b in norms):
        raise InputError(f"expected B to be one norm >= 0, or one norm per layer (L={L}), got {B}")
    factor = {"peeling": 2.0**L, "golowich": 1 + math.sqrt(2 * L * math.log(2))}.get(version)
    if factor is None:
        raise InputError(f"expected version='peeling' or 'golowich', got {version!r}")
    return factor * radius * math.prod(norms) / math.sqrt(n)


def layer_norms(model: nn.Module) -> list[float]:
    """The Frobenius norm of each weight matrix of a module, in order, biases not counted.

    Kernels of convolutions are taken as one matrix a filter.

    Example:
        >>> layer = nn.Linear(2, 2)
        >>> _ = layer.weight.data.copy_(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
        >>> layer_norms(layer)
        [5.0]
    """
    return [float(p.detach().norm()) for p in model.parameters() if p.ndim >= 2]


def single_unit_suprema(
    x: Float[Tensor, "n 2"], B: Number, signs: Float[Tensor, "s n"], *, angles: int = 720
) -> Float[Tensor, " s"]:
    r"""The supremum over two-layer networks on points of the plane, by one unit on a grid.

    Cauchy-Schwarz over the hidden units shows that one unit does all that a layer can:
    :math:`\frac{B^2}n\max_{\|u\|=1}|\sum_i\sigma_i\max(0,\langle u,x_i\rangle)|`. The grid is a
    lower estimate, off by at most the angle between its directions. Costs angles times n times s.

    Example:
        >>> x = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
        >>> single_unit_suprema(x, 2.0, torch.ones(1, 1).double()).item()
        4.0
    """
    check_finite("x", x)
    turn = torch.arange(angles, dtype=x.dtype, device=x.device) * (2 * math.pi / angles)
    units = (x @ torch.stack([turn.cos(), turn.sin()])).relu()  # n angles
    return B**2 / len(x) * (signs @ units).abs().amax(dim=1)


def deep_suprema(
    x: Float[Tensor, "n d"],
    B: Number,
    L: int,
    signs: Float[Tensor, "s n"],
    *,
    width: int = 8,
    steps: int = 100,
    eta: Number = 0.5,
    rng: Generator,
) -> Float[Tensor, " s"]:
    r"""Lower estimates of the supremum over L-layer networks, by projected gradient ascent.

    All rows of signs are climbed at once, each with its own network; after each step every layer
    is scaled to Frobenius norm B, which by homogeneity loses nothing. One layer is solved exactly.

    Args:
        x: Points.
        B: Frobenius norm of each layer.
        L: Layers.
        signs: One row for each network.
        width: Units of the hidden layers.
        steps: Steps of ascent.
        eta: Length of the first step relative to B; it decays to a tenth.
        rng: Where the networks start.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> deep_suprema(torch.eye(4).double(), 1.0, 1, torch.ones(1, 4).double(), rng=rng).item()
        0.5
    """
    check_finite("x", x)
    check_sample("L", L)
    n, d = x.shape
    if L == 1:
        lengths: Tensor = (signs @ x).norm(dim=1)
        return B / n * lengths
    shapes = [(width, d), *[(width, width)] * (L - 2), (1, width)]
    normal = partial(torch.randn, generator=rng, device=rng.device, dtype=x.dtype)
    layers = [_scaled(normal(len(signs), *s), B) for s in shapes]
    best = torch.full((len(signs),), -math.inf, dtype=x.dtype, device=x.device)
    for step in range(steps + 1):
        layers = [w.requires_grad_() for w in layers]
        value = (signs * _outputs(layers, x)).sum(dim=1) / n
        best = torch.maximum(best, value.detach())
        if step < steps:
            slopes = torch.autograd.grad(value.sum(), layers)
            size = eta * B * (1 - 0.9 * step / steps)
            layers = [
                _scaled((w + size * _scaled(g, 1.0)).detach(), B)
                for w, g in zip(layers, slopes, strict=True)
            ]
    return best


def _outputs(layers: list[Tensor], x: Tensor) -> Tensor:
    """The outputs of all networks at all points, s n."""
    h = x.T  # d n
    for w in layers[:-1]:
        h = (w @ h).relu()  # s width n
    return (layers[-1] @ h)[:, 0]


def _scaled(w: Tensor, B: Number) -> Tensor:
    """Each matrix of a batch, with Frobenius norm B; a zero matrix stays zero."""
    factors: Tensor = B / w.flatten(1).norm(dim=1).clamp(min=1e-300)
    return w * factors[:, None, None]
