r"""Maps that commute with shifts.

On the cyclic group :math:`\mathbb{Z}_N` a linear map commutes with the shift iff it is the circular
convolution with its impulse response,

.. math:: T(f_\delta)=(Tf)_\delta\ \forall\delta\iff Tf=f*h,\quad h=T\mathbf{e}_0 .

Layers of a network commute with shifts exactly under circular padding; with zeros around the image
they do away from the border; with stride s they do for shifts by multiples of s.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Lemma 4.5 and Theorem 4.6; Lucchi (2025),
    Foundations of Deep Learning, Section 10.1.1.
:erratum: [typo] The proof of Lemma 4.5 inserts f(t - delta) and substitutes v = t - delta; with
    f_delta(t) = f(t + delta) it is v = t + delta. The following line and the result are right.
:erratum: [missing hypothesis] Theorem 4.6 speaks of functions on the real line and asks neither for
    continuity of the map nor allows a generalised kernel. The identity is linear and shift
    equivariant, but its kernel is the Dirac delta and no function: on a grid of spacing a the
    kernel of the identity is 1/a at zero, 10, 100, 1000 for a = 0.1, 0.01, 0.001. On the cyclic
    group, or with continuity and distributions, the theorem is right.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


class ImpulseResponse(NamedTuple):
    """The kernel of a linear map, if it has one."""

    h: Float[Tensor, " N"]  # what the map makes of the impulse at zero
    defect: float  # largest entry of T minus the convolution with h, relative to T

    def __bool__(self) -> bool:
        """Whether the map is a convolution, up to rounding."""
        return self.defect <= 1e-9


def circulant(h: Float[Tensor, " N"]) -> Float[Tensor, "N N"]:
    r"""The matrix :math:`C_{ij}=h_{i-j\bmod N}` of the circular convolution with h.

    Example:
        >>> circulant(torch.tensor([1.0, 2.0, 3.0]))
        tensor([[1., 3., 2.],
                [2., 1., 3.],
                [3., 2., 1.]])
    """
    i = torch.arange(len(h), device=h.device)
    return h[(i[:, None] - i[None, :]) % len(h)]


def kernel_of(T: Callable[[Tensor], Tensor] | Tensor, N: int) -> ImpulseResponse:
    """The impulse response of a linear map on N places of a ring, and how far it is from enough.

    ``T`` is a matrix or a function of one signal of length N. N applications, O(N^2) memory.

    Example:
        >>> kernel_of(lambda f: f.roll(1) - f, 4)
        ImpulseResponse(h=tensor([-1.,  1.,  0.,  0.], dtype=torch.float64), defect=0.0)
        >>> bool(kernel_of(torch.diag(torch.tensor([1.0, 2.0])), 2))  # another gain at each place
        False

    :covers: linear-shift-equivariant-is-convolution
    """
    if isinstance(T, Tensor):
        A = T
    else:
        eye = torch.eye(N, dtype=torch.float64)
        A = torch.stack([T(e) for e in eye], dim=1)
    if A.shape != (N, N):
        raise InputError(f"a map on {N} positions needs an N by N matrix, got {tuple(A.shape)}")
    h = A[:, 0]
    size = float(A.abs().max())
    return ImpulseResponse(h, float((A - circulant(h)).abs().max()) / size if size else 0.0)


def equivariance_error(
    layer: Callable[[Tensor], Tensor],
    x: Float[Tensor, "*batch n"],
    shift: int,
    *,
    stride: int = 1,
    border: int = 0,
) -> float:
    r"""Largest entry of ``layer(shifted x) - shifted layer(x)`` along the last axis.

    Shifts are cyclic, and the output moves by ``shift / stride``. If that is no whole number no
    shift of the output is right, and the error of the best one is returned. ``border`` entries at
    each end of the output are left out; with zero padding choose the reach of the kernel plus the
    shift.

    Example:
        >>> x = torch.tensor([1.0, 2.0, 4.0, 8.0])
        >>> equivariance_error(lambda x: x - x.roll(1), x, 1)
        0.0
        >>> equivariance_error(lambda x: x[::2], x, 2, stride=2)
        0.0
        >>> equivariance_error(lambda x: x[::2], x, 1, stride=2)  # (8, 2) against (1, 4), (4, 1)
        4.0

    :covers: convolution-shift-equivariance
    :test: tests/theory/architectures/test_equivariance.py
    """
    if stride < 1 or border < 0:
        raise InputError(
            f"stride >= 1 and border >= 0 are needed, got stride={stride}, border={border}"
        )
    moved, still = layer(x.roll(shift, -1)).detach(), layer(x).detach()
    n = still.shape[-1]
    if 2 * border >= n:
        raise InputError(f"a border of {border} removes all {n} outputs")
    whole = shift % stride == 0
    tries: Sequence[int] = [shift // stride] if whole else range(n)
    inner = slice(border, n - border)
    return min(float((moved - still.roll(k, -1))[..., inner].abs().max()) for k in tries)
