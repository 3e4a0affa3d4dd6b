"""The rectifier's expectations as a compiled loop over pairs and positions, in float64."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from corollary.theory.kernels.infinite.angle import Coefficients, angle_polynomial
from corollary.theory.kernels.infinite.state import State


def rectify(
    k: np.ndarray,
    t: np.ndarray,
    r1: np.ndarray,
    r2: np.ndarray,
    i1: np.ndarray,
    i2: np.ndarray,
    even: Coefficients,
    odd: Coefficients,
    w: float,
    s: float,
    full: bool,
    f: np.ndarray,
    g: np.ndarray,
) -> None:
    r"""F and t times its derivative for all entries; to be compiled.

    ``k`` and ``t`` are ``(n1, n2, S1, S2)`` with standard deviations ``r1 (n1, S1)``,
    ``r2 (n2, S2)`` and their inverses; in the diagonal layout S1 is 1 and ``r1`` is ``(n1, S2)``.
    """
    w_pi, rest, equal = w / np.pi, 1.0 - w, 1.0 - 8 * 2.0**-52
    n1, n2, s1, s2 = k.shape
    a = np.empty(s2)
    b = np.empty(s2)
    for i in range(n1):
        for j in range(n2):
            for p in range(s1):
                for q in range(s2):
                    a[q] = r1[i, p] if full else r1[i, q]
                    b[q] = i1[i, p] if full else i1[i, q]
                for q in range(s2):
                    cosine = k[i, j, p, q] * (b[q] * i2[j, q])
                    v = max(1.0 - abs(cosine), 0.0)
                    v = 0.0 if cosine > equal else v  # rounding of equal inputs
                    v2 = v * v
                    root = np.sqrt(v)
                    e = even[0]
                    for m in range(1, len(even)):
                        e = e * v2 + even[m]
                    o = odd[0]
                    for m in range(1, len(odd)):
                        o = o * v2 + odd[m]
                    theta = root * (e + o * v)  # to the nearer end
                    bent = root * np.sqrt(2.0 - v) - theta * (1.0 - v)  # sin θ - θ cos θ
                    end = 1.0 if cosine >= 0.0 else rest
                    f[i, j, p, q] = (s * (a[q] * r2[j, q])) * (
                        w_pi * max(bent, 0.0) + end * np.copysign(1.0 - v, cosine)
                    )
                    g[i, j, p, q] = (t[i, j, p, q] * s) * (end - np.copysign(w_pi * theta, cosine))


def rectified(
    kernel: Callable[..., Any], state: State, ntk: Tensor, w: float, s: float
) -> tuple[Tensor, Tensor]:
    """Run the kernel on a state; the new covariance and tangent kernel."""
    shape = state.nngp.shape
    n1, n2 = shape[:2]
    r1, r2 = (v.reshape(len(v), -1).sqrt() for v in state.position_variances())
    inverses = [torch.where(r > 0, 1 / r, 0.0).numpy() for r in (r1, r2)]
    places = (r1.shape[1], r2.shape[1]) if state.full else (1, r1.shape[1])
    k, t = (v.reshape(n1, n2, *places).contiguous().numpy() for v in (state.nngp, ntk))
    f, g = np.empty_like(k), np.empty_like(k)
    even, odd = angle_polynomial("float64")
    kernel(k, t, r1.numpy(), r2.numpy(), *inverses, even, odd, w, s, state.full, f, g)
    return torch.from_numpy(f).reshape(shape), torch.from_numpy(g).reshape(shape)
