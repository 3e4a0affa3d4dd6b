r"""Change the order of the sums, and shift.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.3, proof of Theorem 25, for sums.
"""

import torch
from torch import Tensor

from corollary.claims.approximation.convolution_theorem import Given
from corollary.core import Proof, eq, let
from corollary.theory.approximation.convolution import convolve


def waves(N: int, length: int) -> Tensor:
    """The factors exp(−2πi kx/N), for frequencies k and places x."""
    k, x = torch.arange(N, dtype=torch.float64), torch.arange(length, dtype=torch.float64)
    return torch.exp(-2j * torch.pi * k[:, None] * x / N)


def proof(given: Given) -> Proof:
    g, h, N = given
    n, m = len(g), len(h)
    G, H = (v.to(torch.complex128) for v in (g, h))
    r = convolve(g, h, method="direct").to(torch.complex128)
    yield let(r"\hat r(\omega) = \sum_xr(x)e^{-2\pi i\omega x}", waves(N, n + m - 1) @ r)
    shifted = torch.stack([waves(N, n + m)[:, t : t + m] @ H for t in range(n)], 1)
    tex = r"\sum_\tau g(\tau)\sum_xh(x-\tau)e^{-2\pi i\omega x}"
    yield eq(tex, shifted @ G, "the order of the sums is changed")
    split = (waves(N, n) * (waves(N, m) @ H)[:, None]) @ G
    yield eq(r"\sum_\tau g(\tau)e^{-2\pi i\omega\tau}\,\hat h(\omega)", split, "u = x − τ")
    product = (waves(N, n) @ G) * (waves(N, m) @ H)
    yield eq(r"\hat g(\omega)\hat h(\omega)", product, "the definition")
    yield "Transform back:"
    back = torch.zeros(n + m - 1, dtype=torch.complex128)
    found = (waves(N, N).conj() @ product / N)[: n + m - 1]
    back[: len(found)] = found
    yield let("r(x)", r)
    by = "waves are orthogonal, and N places are enough for r"
    yield eq(r"\tfrac1N\sum_\omega\hat g\hat h\,e^{2\pi i\omega x}", back, by)


def as_printed(given: Given) -> Proof:
    """Section 10.1.3 uses the discrete transform without padding: the end wraps around."""
    g, h, _ = given
    n = len(g)
    wrapped = torch.fft.irfft(torch.fft.rfft(g, n) * torch.fft.rfft(h, n), n)
    yield let("(g*h)[:n]", convolve(g, h, method="direct")[:n])
    yield eq(
        r"\mathcal F_n^{-1}(\mathcal F_ng\cdot\mathcal F_nh)", wrapped, "as printed", wrong=True
    )
