r"""Convolution and correlation of finite signals and images.

.. math:: (f*h)[u]=\sum_th[t]\,f[u-t],\qquad (h\star f)[u]=\sum_th[t]\,f[u+t]=(\bar h*f)[u],
   \quad\bar h[t]=h[-t]

and with two indices in place of one for images. *full* keeps all :math:`n+m-1` places where signal
and kernel meet, *valid* the :math:`n-m+1` places where the kernel lies inside, *same* the n places
in the middle of *full*: :math:`\sum_vf[u+\lfloor(m-1)/2\rfloor-v]\,h[v]`, numbered from zero.
torch's ``conv1d`` and ``conv2d`` are valid correlations.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Definitions 4.7 and 4.8, and Section 4.2;
    Lucchi (2025), Foundations of Deep Learning, Sections 10.1.1 and 10.1.2.
:erratum: [possible OCR artefact] Perez Jensen's remark after Definition 4.8 shows h ⋆ f = h̄ ⋆ f,
    with the star on both sides; on the right it must be the convolution, h ⋆ f = h̄ * f.
:erratum: [wrong] Lucchi's re-indexed formula for I * K sums I[i - u0 + u, j - v0 + v] K[u, v],
    without the flip: that is the correlation. The convolution is the sum of
    I[i + u0 - u, j + v0 - v] K[u, v]. For the kernel (0, 0, 1) and an impulse the first puts the
    one a place before, the second a place after; they agree only for kernels that a rotation by
    180 degrees leaves as they are. The later formula with channels does flip.
"""

from typing import Literal

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from corollary.errors import InputError
from corollary.theory.approximation.convolution import convolve

Mode = Literal["full", "same", "valid"]


def flipped(h: Float[Tensor, "*m"]) -> Float[Tensor, "*m"]:
    """The kernel turned round along every axis.

    Example:
        >>> import torch
        >>> flipped(torch.tensor([[1, 2], [3, 4]]).double()).tolist()
        [[4.0, 3.0], [2.0, 1.0]]
    """
    return h.flip(list(range(h.ndim)))


def convolution(
    f: Float[Tensor, "*n"], h: Float[Tensor, "*m"], mode: Mode = "full", *, padding: int = 0
) -> Float[Tensor, "*k"]:
    r"""The convolution of two signals or two images; ``padding`` zeros come around f first.

    Example:
        >>> import torch
        >>> f, h = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.0, 1.0, 0.5])
        >>> convolution(f, h).tolist()  # (1 + 2z + 3z²)(z + z²/2)
        [0.0, 1.0, 2.5, 4.0, 1.5]
        >>> convolution(f, h, "same").tolist(), convolution(f, h, "valid").tolist()
        ([1.0, 2.5, 4.0], [2.5])

    :covers: discrete-convolution-1d, conv2d-discrete
    :test: tests/theory/architectures/test_sliding.py
    """
    if mode not in ("full", "same", "valid"):
        raise InputError(f"the mode must be full, same or valid, got {mode!r}")
    if padding < 0:
        raise InputError(f"the padding must be at least 0, got {padding}")
    if padding:
        f = functional.pad(f, [padding] * (2 * f.ndim))
    full = convolve(f, h, method="direct")
    if mode == "full":
        return full
    return full[tuple(_kept(n, m, mode) for n, m in zip(f.shape, h.shape, strict=True))]


def correlation(
    h: Float[Tensor, "*m"], f: Float[Tensor, "*n"], mode: Mode = "valid", *, padding: int = 0
) -> Float[Tensor, "*k"]:
    r"""The correlation :math:`h\star f`, which frameworks call convolution; kernel first.

    Example:
        >>> import torch
        >>> correlation(torch.tensor([0.0, 0.0, 1.0]), torch.tensor([0.0, 1.0, 0.0]), "same")
        tensor([1., 0., 0.])
        >>> convolution(torch.tensor([0.0, 1.0, 0.0]), torch.tensor([0.0, 0.0, 1.0]), "same")
        tensor([0., 0., 1.])

    :covers: cross-correlation
    :test: tests/theory/architectures/test_sliding.py
    """
    return convolution(f, flipped(h), mode, padding=padding)


def _kept(n: int, m: int, mode: Mode) -> slice:
    """Which entries of the full result a mode keeps along one axis."""
    if mode == "same":
        return slice((m - 1) // 2, (m - 1) // 2 + n)
    if m > n:
        raise InputError(
            f"a kernel of length {m} does not lie inside a signal of length {n}; "
            "pad the signal or choose another mode"
        )
    return slice(m - 1, n)
