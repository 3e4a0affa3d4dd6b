r"""Sinusoidal positions.

.. math:: \mathrm{PE}(t)_{2i}=\sin(t\omega_i),\quad\mathrm{PE}(t)_{2i+1}=\cos(t\omega_i),\quad
   \omega_i=C^{-2i/d},\quad i=0,\dots,d/2-1,

with :math:`C=10^4`. A pair turns like the hand of a clock, so a shift is a rotation that does not
depend on the time, and products of encodings depend on the distance alone:

.. math:: \mathrm{PE}(t+s)=R_s\mathrm{PE}(t),\qquad
   \langle\mathrm{PE}(t),\mathrm{PE}(t')\rangle=\sum_i\cos(\omega_i(t-t')),\qquad
   \|\mathrm{PE}(t)\|^2=d/2 .

:source: Perez Jensen (2025), Deep Learning, Section 6.3 and Figure 6.2; Lucchi (2025), Foundations
    of Deep Learning, Section 10.4.3; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you
    need", Section 3.5.
:erratum: [wrong] Perez Jensen (2025) has omega_k = C^{k/d}: the frequencies grow with k where they
    should fall, and sine and cosine of a pair turn at different speeds, so no rotation carries
    PE(t) to PE(t + s) and lengths change with t. Lucchi (2025) is right but says that i indexes
    the embedding dimension; it counts pairs. The claims positional_shift and positional_distance
    have the printed frequencies as their counterexamples.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def frequencies(
    d: int, base: float | int = 1e4, *, dtype: torch.dtype = torch.float64
) -> Float[Tensor, " k"]:
    r"""The :math:`d/2` speeds :math:`\omega_i=C^{-2i/d}`, from 1 down.

    Example:
        >>> frequencies(4, base=100.0).tolist()
        [1.0, 0.1]
    """
    if d < 2 or d % 2:
        raise InputError(f"sine and cosine come in pairs, so d must be even and positive, got {d}")
    if not base > 0:
        raise InputError(f"base must be positive, got {base:g}")
    return base ** (-torch.arange(0, d, 2, dtype=dtype) / d)


def clock_hands(
    times: Float[Tensor, " T"], sine: Float[Tensor, " k"], cosine: Float[Tensor, " k"]
) -> Float[Tensor, "T d"]:
    """Sine and cosine in turn, each with speeds of its own; equal speeds make pairs that rotate.

    Example:
        >>> one = torch.ones(1)
        >>> clock_hands(torch.zeros(2), one, one).tolist()
        [[0.0, 1.0], [0.0, 1.0]]
    """
    t = times[:, None]
    return torch.stack([(t * sine).sin(), (t * cosine).cos()], dim=2).flatten(start_dim=1)


def sinusoidal_encoding(
    times: Float[Tensor, " T"] | int, d: int, base: float | int = 1e4
) -> Float[Tensor, "T d"]:
    """PE at the given times, or at 0, ..., T - 1; one position per row.

    Example:
        >>> sinusoidal_encoding(2, 2)[0].tolist()  # sin 0, cos 0
        [0.0, 1.0]
        >>> round(sinusoidal_encoding(5, 8).square().sum(dim=1)[3].item(), 12)
        4.0
    """
    if isinstance(times, int):
        times = torch.arange(times, dtype=torch.float64)
    omega = frequencies(d, base, dtype=times.dtype).to(times.device)
    return clock_hands(times, omega, omega)


def shift_matrix(s: float | int, d: int, base: float | int = 1e4) -> Float[Tensor, "d d"]:
    r"""The block rotation :math:`R_s` with :math:`\mathrm{PE}(t+s)=R_s\mathrm{PE}(t)` for all t.

    Example:
        >>> R = shift_matrix(3, 6)
        >>> torch.allclose(sinusoidal_encoding(9, 6)[5:] @ R.T, sinusoidal_encoding(12, 6)[8:])
        True
    """
    return rotation(s * frequencies(d, base))


def rotation(angle: Float[Tensor, " k"]) -> Float[Tensor, "d d"]:
    """Blocks that turn the pairs (sin, cos) by the given angles.

    Example:
        >>> rotation(torch.tensor([torch.pi / 2])).int().tolist()  # (sin, cos) -> (cos, -sin)
        [[0, 1], [-1, 0]]
    """
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack([cos, sin, -sin, cos], dim=1).view(-1, 2, 2)
    R: Tensor = torch.block_diag(*blocks)
    return R
