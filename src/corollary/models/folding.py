r"""Layers that fold space, and the networks with many regions built from them.

With p rectifiers a coordinate the zig-zag

.. math:: g(x) = (px)_+ - 2(px - 1)_+ + 2(px - 2)_+ - \dots

maps each of the p intervals :math:`[i/p, (i+1)/p]` onto [0, 1]. A layer that does so in each of d
coordinates *identifies* :math:`p^d` boxes: whatever comes after it is repeated, mirrored, on all.

:source: Mathematical Foundations of Deep Learning (slides), Montufar's Theorem, Definition 1;
    Montufar, Pascanu, Cho and Bengio (2014), "On the number of linear regions of deep neural
    networks".
"""

from collections.abc import Sequence
from itertools import product
from math import comb

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError


def folding_layer(d: int, p: int, *, dtype: torch.dtype = torch.float64) -> nn.Sequential:
    """A network ``d -> dp -> d`` that folds the unit cube p times along each axis.

    Example:
        >>> fold = folding_layer(1, 4)
        >>> x = torch.tensor([[0.0], [0.25], [0.5], [0.75], [1.0]], dtype=torch.float64)
        >>> fold(x).detach().flatten().tolist()
        [0.0, 1.0, 0.0, 1.0, 0.0]

    :covers: space-folding
    """
    _check(d, p)
    w, b, a = _zigzag(d, p)
    return nn.Sequential(_linear(w, b, dtype), nn.ReLU(), _linear(a, torch.zeros(d), dtype))


def absolute_layer(d: int, *, dtype: torch.dtype = torch.float64) -> nn.Sequential:
    """``d -> 2d -> d``, the absolute value of each coordinate: all orthants become one.

    Example:
        >>> absolute_layer(2)(torch.tensor([[-1.0, 2.0]], dtype=torch.float64)).tolist()
        [[1.0, 2.0]]
    """
    _check(d, 1)
    both = torch.cat([torch.eye(d), -torch.eye(d)])
    first = _linear(both, torch.zeros(2 * d), dtype)
    return nn.Sequential(first, nn.ReLU(), _linear(both.abs().T, torch.zeros(d), dtype))


def identified_sets(d: int, p: int) -> Float[Tensor, "boxes 2 d"]:
    """The boxes that the folding layer maps onto the unit cube: lower and upper corner of each.

    Example:
        >>> identified_sets(1, 2).tolist()
        [[[0.0], [0.5]], [[0.5], [1.0]]]
    """
    _check(d, p)
    low = torch.tensor(list(product(range(p), repeat=d)), dtype=torch.float64)
    return torch.stack([low / p, (low + 1) / p], dim=1)


def montufar_network(
    d: int, widths: Sequence[int], *, dtype: torch.dtype = torch.float64
) -> nn.Sequential:
    r"""A ReLU network with :math:`\prod_{i<l}\lfloor n_i/d\rfloor^d \sum_j\binom{n_l}{j}` regions.

    All layers but the last fold the unit cube; the last cuts it by hyperplanes in general position
    all of whose meeting points lie in the cube. The regions are those in :math:`[0, 1]^d`. Units
    that do not fit into the folding are dead.

    The hyperplanes are :math:`\sum_{k<d} x_k t_i^k = t_i^d` for distinct :math:`t_i \in [-1, 1]`,
    shrunk about the centre: d of them meet in the coefficients of a polynomial with roots
    :math:`t_i`, which are at most :math:`\binom dk`.

    Args:
        d: Inputs.
        widths: Units of each hidden layer, at least d each.
        dtype: Of the weights.

    Example:
        >>> [layer.out_features for layer in montufar_network(2, [4, 5])[::2]]
        [4, 5, 1]

    :source: Montufar, Pascanu, Cho and Bengio (2014), "On the number of linear regions of deep
        neural networks".
    """
    if not widths or min(widths) < d:
        raise InputError(f"widths must be at least d={d}, got {list(widths)}")
    _check(d, 1)
    layers: list[nn.Module] = []
    into = torch.eye(d, dtype=torch.float64)  # what the layer before still has to sum
    for n in widths[:-1]:
        w, b, a = _zigzag(d, n // d)
        idle = n - len(b)
        w, b = (
            torch.cat([w @ into, w.new_zeros(idle, into.shape[1])]),
            torch.cat([b, b.new_zeros(idle)]),
        )
        layers += [_linear(w, b, dtype), nn.ReLU()]
        into = torch.cat([a, a.new_zeros(d, idle)], dim=1)
    w, b = _moment_hyperplanes(d, widths[-1])
    read = 1 + torch.arange(widths[-1], dtype=torch.float64)[None] / widths[-1]
    layers += [_linear(w @ into, b, dtype), nn.ReLU(), _linear(read, torch.zeros(1), dtype)]
    return nn.Sequential(*layers)


def _zigzag(d: int, p: int) -> tuple[Tensor, Tensor, Tensor]:
    """Weights and biases of the units, and how they are summed; p units for each coordinate."""
    eye = torch.eye(d, dtype=torch.float64)
    w = p * eye.repeat_interleave(p, dim=0)
    b = -torch.arange(p, dtype=torch.float64).repeat(d)
    signs = torch.tensor([1.0] + [2.0 * (-1) ** i for i in range(1, p)], dtype=torch.float64)
    return w, b, torch.kron(eye, signs[None])


def _moment_hyperplanes(d: int, n: int) -> tuple[Tensor, Tensor]:
    t = torch.linspace(-1, 1, n, dtype=torch.float64) if n > 1 else torch.zeros(1).double()
    w = t[:, None] ** torch.arange(d)
    reach = 0.45 / max(comb(d, k) for k in range(d))
    b = -(reach * t**d) - w.sum(dim=1) / 2
    # Every other unit looks the other way: no end of the cube on which all are off, where the
    # output would be constant and would not bend at a fold.
    side = 1 - 2 * (torch.arange(n) % 2).double()
    return side[:, None] * w, side * b


def _linear(w: Tensor, b: Tensor, dtype: torch.dtype) -> nn.Linear:
    layer = nn.Linear(w.shape[1], w.shape[0], dtype=dtype)
    with torch.no_grad():
        layer.weight.copy_(w)
        layer.bias.copy_(b)
    return layer


def _check(d: int, p: int) -> None:
    if d < 1 or p < 1:
        raise InputError(f"a fold needs d >= 1 coordinates and p >= 1 parts, got d={d}, p={p}")
