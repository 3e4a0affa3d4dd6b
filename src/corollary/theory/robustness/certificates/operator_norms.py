r"""Spectral norms of layers, from above.

Power iteration approaches a norm from below, which certifies nothing. A matrix has its norm by
singular values. A convolution with zero padding is a part (some rows, some columns) of the one on a
torus that is large enough, so its norm is at most that of the torus, where the Fourier transform
takes it apart into one small matrix a frequency. A stride s is a convolution of stride 1 on
:math:`s^2` times as many channels (the phases of the image).

Singular values are rounded, so what they give is proved: if Cholesky's factorisation of
:math:`cI-WW^\top` runs to its end in rounded numbers, then :math:`\|W\|_2^2\le c+2\gamma_{n+2}
\,nc+\gamma_{K+2}\|W\|_F^2`; the last term is for the product. If it does not, c grows.

:source: Sedghi, Gupta and Long (2019), "The singular values of convolutional layers", for the
    torus; Rump (2006), "Verification of positive definiteness"; Schur's test,
    :math:`\|J\|_2^2\le\|J\|_1\|J\|_\infty`, for averages.
"""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite

ROUNDING = 1e-9  # relative: where Cholesky is tried first, and room for sums in double precision
UNIT = 2.0**-53
FOURIER = 16  # units in the last place for each halving of a Fourier transform


def matrix_norm(weight: Float[Tensor, "out in"]) -> float:
    """The largest singular value, rounded up; costs a factorisation of the smaller Gram matrix.

    Example:
        >>> round(matrix_norm(torch.tensor([[3.0, 0.0], [4.0, 0.0]])), 6)
        5.0
    """
    w = weight.cpu().double()
    w = w if w.shape[0] <= w.shape[1] else w.T
    return _proved_norm(w[None])


def _proved_norm(matrices: Tensor) -> float:
    """A bound on the largest singular value of all wide matrices of a batch (b, n, k)."""
    n, k = matrices.shape[1:]
    if n == 0 or k == 0 or not bool(matrices.any()):
        return 0.0
    check_finite("the weight", matrices)
    gram = matrices @ matrices.mH
    eye = torch.eye(n, dtype=gram.dtype, device=gram.device)
    size = float(torch.linalg.vector_norm(matrices, dim=(1, 2)).max())
    room, guess = ROUNDING, float(torch.linalg.eigvalsh(gram)[:, -1].max())
    while True:
        c = max(guess, UNIT * size**2) * (1 + room)
        if not bool(torch.linalg.cholesky_ex(c * eye - gram).info.any()):
            rounding = 2 * (n + 4) * UNIT * 4 * n * c + 4 * (k + 4) * UNIT * size**2  # complex: x 4
            return math.sqrt(c + rounding) * (1 + ROUNDING / 1000)
        room *= 10


def convolution_norm(
    weight: Float[Tensor, "out in *k"],
    size: Sequence[int],
    *,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
) -> float:
    """An upper bound on the norm of a convolution of one or two axes on images of this size.

    Costs an eigenvalue problem of the smaller number of channels for each place of the image.

    Example:
        >>> mean = torch.full((1, 1, 3, 3), 1 / 9)  # averages have norm at most 1
        >>> round(convolution_norm(mean, (8, 8), padding=(1, 1)), 4)
        1.0
    """
    axes = weight.dim() - 2
    if axes not in (1, 2) or len(size) != axes:
        raise InputError(f"expected a kernel of one or two axes, got {axes}")
    if axes == 1:
        weight, size = weight[:, :, None], (1, *size)
        stride, padding, dilation = (1, *stride), (0, *padding), (1, *dilation)
    kernel = _phases(_dilated(weight.cpu().double(), dilation), stride)
    torus = [
        math.ceil((size[i] + 2 * padding[i]) / stride[i]) + kernel.shape[2 + i] - 1 for i in (0, 1)
    ]
    parts = kernel.chunk(groups, 0)  # groups do not see each other
    return max(_torus_norm(part, torus) for part in parts) * (1 + ROUNDING)


def _torus_norm(kernel: Tensor, torus: Sequence[int]) -> float:
    spectrum = torch.fft.rfft2(kernel, s=tuple(torus)).permute(2, 3, 0, 1).flatten(0, 1)
    if spectrum.shape[1] > spectrum.shape[2]:
        spectrum = spectrum.mT
    places = math.prod(torus)
    off = FOURIER * UNIT * (2 + math.log2(places)) * math.sqrt(places)
    # the spectrum itself is rounded (Higham, Theorem 24.2)
    return _proved_norm(spectrum) + off * float(torch.linalg.vector_norm(kernel))


def _phases(kernel: Tensor, stride: Sequence[int]) -> Tensor:
    """The kernel on the phases of the image: stride 1, and more channels."""
    if tuple(stride) == (1, 1):
        return kernel
    missing = [-kernel.shape[2 + i] % stride[i] for i in (0, 1)]
    padded = F.pad(kernel, (0, missing[1], 0, missing[0]))
    out, channels, h, w = padded.shape
    s, t = stride
    cut = padded.view(out, channels, h // s, s, w // t, t).permute(0, 1, 3, 5, 2, 4)
    return cut.reshape(out, channels * s * t, h // s, w // t)


def _dilated(kernel: Tensor, dilation: Sequence[int]) -> Tensor:
    if tuple(dilation) == (1, 1):
        return kernel
    sizes = [(kernel.shape[2 + i] - 1) * dilation[i] + 1 for i in (0, 1)]
    wide = kernel.new_zeros(*kernel.shape[:2], *sizes)
    wide[:, :, :: dilation[0], :: dilation[1]] = kernel
    return wide
