r"""Convolution: the definition, the product of transforms, and what each costs.

.. math:: (g*h)_n=\sum_jg_jh_{n-j},\qquad g*h=\mathcal{F}^{-1}(\mathcal{F}g\cdot\mathcal{F}h)

The product of discrete transforms of length N is the transform of the *circular* convolution, with
indices modulo N. The linear one of lengths n and m comes out if both are padded with zeros to
:math:`N\ge n+m-1`.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 25 and Section 10.1.3; Perez Jensen
    (2025), Deep Learning, Section 4.1.
:covers: convolution-theorem
:erratum: [missing hypothesis] Section 10.1.3 writes f * h = F^{-1}(F f . F h) with F explicitly the
    DFT. For finite signals that is circular convolution; the linear one needs zero padding to
    length n + m - 1 or more. For n = 8 ones and m = 3 ones the first value is 3 without padding
    and 1 with it. The continuous Theorem 25 is right.
"""

import math
import time
from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError

Method = Literal["direct", "fft"]
Mode = Literal["linear", "circular"]


class Timing(NamedTuple):
    """CPU seconds of both methods for two signals of one length."""

    size: int
    direct: float
    fft: float


def convolve(
    g: Float[Tensor, "*n"],
    h: Float[Tensor, "*m"],
    *,
    method: Method = "fft",
    mode: Mode = "linear",
) -> Float[Tensor, "*k"]:
    r"""The convolution of two signals or two images.

    Linear: all :math:`n+m-1` values. Circular: indices modulo the larger length, which is what the
    product of transforms gives without padding. Direct :math:`O(nm)`, fft
    :math:`O((n+m)\log(n+m))`.

    Example:
        >>> g, h = torch.ones(8, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
        >>> [round(v, 9) for v in convolve(g, h).tolist()]
        [1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 2.0, 1.0]
        >>> convolve(g, h, method="direct", mode="circular").tolist()
        [3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    """
    if g.dim() != h.dim() or g.dim() not in (1, 2) or 0 in (g.numel(), h.numel()):
        raise InputError(
            "expected two signals of shape (n,) and (m,), or two images, got shapes "
            f"{tuple(g.shape)} and {tuple(h.shape)}"
        )
    if method not in ("direct", "fft") or mode not in ("linear", "circular"):
        raise InputError(
            f"expected a known method and mode, got method {method!r} and mode {mode!r}"
        )
    pairs = list(zip(g.shape, h.shape, strict=True))
    if mode == "linear":
        size = [n + m - 1 for n, m in pairs]
        return _product(g, h, size) if method == "fft" else _direct(g, h)
    size = [max(n, m) for n, m in pairs]
    return _product(g, h, size) if method == "fft" else _wrapped(_direct(g, h), size)


def multiplications(n: int, m: int, method: Method) -> int:
    r"""Real multiplications for the linear convolution of lengths n and m.

    Direct: :math:`nm`. fft: three radix-2 transforms of length :math:`L=2^{\lceil\log_2(n+m-1)
    \rceil}` with :math:`\tfrac L2\log_2L` complex products each, and L products in between, each
    of four real ones.

    Example:
        >>> multiplications(8, 3, "direct"), multiplications(8, 3, "fft")
        (24, 448)
    """
    if not (n >= 1 and m >= 1):
        raise InputError(f"the lengths must be at least 1, got n={n}, m={m}")
    if method == "direct":
        return n * m
    bits = math.ceil(math.log2(n + m - 1)) if n + m > 2 else 0
    L = 1 << bits
    return 3 * 2 * L * bits + 4 * L


def crossover(limit: int = 1 << 20) -> int:
    """The smallest power of two from which on the fft needs fewer products (equal lengths).

    Example:
        >>> crossover()
        128
    """
    sizes = [1 << k for k in range(limit.bit_length())]
    dearer = [n for n in sizes if multiplications(n, n, "fft") >= multiplications(n, n, "direct")]
    return 2 * dearer[-1]


def timings(sizes: Sequence[int], *, repeats: int = 3) -> list[Timing]:
    """CPU seconds of both methods, the least of several runs, for two signals of each length."""

    def seconds(signal: Tensor, method: Method) -> float:
        best = math.inf
        for _ in range(repeats):
            start = time.process_time()
            convolve(signal, signal, method=method)
            best = min(best, time.process_time() - start)
        return best

    signals = [torch.linspace(-1, 1, n, dtype=torch.float64) for n in sizes]
    return [Timing(len(s), seconds(s, "direct"), seconds(s, "fft")) for s in signals]


def _product(g: Tensor, h: Tensor, size: list[int]) -> Tensor:
    product: Tensor = torch.fft.irfftn(torch.fft.rfftn(g, size) * torch.fft.rfftn(h, size), size)
    return product


def _direct(g: Tensor, h: Tensor) -> Tensor:
    conv = F.conv1d if g.dim() == 1 else F.conv2d
    flipped = h.flip(list(range(h.dim())))
    return conv(g[None, None], flipped[None, None], padding=[m - 1 for m in h.shape])[0, 0]


def _wrapped(full: Tensor, size: list[int]) -> Tensor:
    """Add up entries whose indices agree modulo ``size``."""
    for axis, n in enumerate(size):
        shape = [*full.shape[:axis], n, *full.shape[axis + 1 :]]
        index = torch.arange(full.shape[axis], device=full.device) % n
        full = full.new_zeros(shape).index_add(axis, index, full)
    return full
