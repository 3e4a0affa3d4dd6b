r"""The distance of two functions under a density, in three ways.

.. math:: \int (f - g)^2\varphi^2 = \|f\varphi - g\varphi\|^2
          = \|\widehat{f\varphi} - \widehat{g\varphi}\|^2
          = \|\hat f * \hat\varphi - \hat g * \hat\varphi\|^2

The second step is Parseval's identity, the third the convolution theorem. All on a centred grid;
the last with the circular convolution of the discrete transforms.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step I; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks".
"""

from typing import NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.approximation.fourier import Transform, transform

LARGEST = 1 << 12  # grid points for which the direct convolution is made, at the square of the cost


class Distances(NamedTuple):
    """The same squared distance by points, by frequencies, and by convolved transforms."""

    points: float
    frequencies: float
    convolved: float


def weighted_l2(
    f: Float[Tensor, "*N"], g: Float[Tensor, "*N"], phi: Float[Tensor, "*N"], step: float
) -> Distances:
    r"""The squared distance of f and g under :math:`\varphi^2`, values on a grid with this step.

    The products have to be square integrable and to have died out at the ends of the grid. The
    convolution is made by its definition: time and memory :math:`O(N^{2d})`.

    Example:
        >>> x = torch.arange(-32, 32).double() / 8
        >>> found = weighted_l2(x, 0 * x, torch.exp(-(x**2)), 1 / 8)  # root(pi / 2) / 4
        >>> [round(v, 9) for v in found]
        [0.313328534, 0.313328534, 0.313328534]

    :covers: eldan-shamir-parseval
    """
    if f.numel() > LARGEST:
        raise InputError(f"expected at most {LARGEST} grid points, got {f.numel()}")
    if not f.shape == g.shape == phi.shape:
        raise InputError(
            f"expected f, g and phi on the same grid, got shapes {f.shape}, "
            f"{g.shape} and {phi.shape}"
        )
    both = transform((f - g) * phi, step)
    apart = transform(f - g, step)
    convolved = apart._replace(values=circular(apart.values, transform(phi, step)))
    points = float(((f - g) * phi).square().sum()) * step ** f.dim()
    return Distances(points, energy(both), energy(convolved))


def energy(of: Transform) -> float:
    """The integral of the squared transform over the frequencies of the grid.

    Example:
        >>> energy(transform(torch.tensor([3.0, 4.0]).double(), 1.0))
        25.0
    """
    return float(of.values.abs().square().sum()) * of.cell


def circular(a: Complex[Tensor, "*N"], of: Transform) -> Complex[Tensor, "*N"]:
    """The convolution of two transforms on one grid, indices wrapped, by its definition.

    Example:
        >>> of = transform(torch.tensor([1.0, 2.0, 3.0]).double(), 1.0)
        >>> square = transform(torch.tensor([1.0, 4.0, 9.0]).double(), 1.0)
        >>> bool(torch.allclose(circular(of.values, of), square.values))
        True
    """
    shape = torch.tensor(a.shape)
    places = torch.cartesian_prod(*[torch.arange(int(n)) for n in shape]).reshape(-1, a.dim())
    # The frequency 0 sits at n // 2: w_i - w_j is at index i - j + n // 2.
    apart = (places[:, None] - places[None] + shape // 2) % shape
    index = torch.zeros(apart.shape[:2], dtype=torch.long)
    for axis in range(a.dim()):
        index = index * int(shape[axis]) + apart[..., axis]
    return (of.values.flatten()[index] @ a.flatten()).reshape(a.shape) * of.cell
