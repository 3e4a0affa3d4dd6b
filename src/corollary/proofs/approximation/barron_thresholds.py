r"""A cosine is the integral of its slope, and an integral to w·x is one over thresholds.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 26, parts ii and iii.
"""

from math import pi

import torch

from corollary.claims.approximation.barron_thresholds import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.prerequisites.increments import unit_interval_rule


def proof(given: Given) -> Proof:
    f, polar, u, places = given
    x = places[:, None] * u
    reach = 7.5 / (2 * pi * f.sigma)
    line = torch.linspace(-reach, reach, 61, dtype=x.dtype)
    w = torch.cartesian_prod(*[line] * f.d).reshape(-1, f.d)
    size = polar.modulus(w) * float(line[1] - line[0]) ** f.d
    theta, along, length = polar.phase(w), x @ w.T, w.norm(dim=1)
    yield let("f(x)-f(0)", f(x) - f(0 * x))
    bump = torch.cos(2 * pi * (along + theta)) - torch.cos(2 * pi * theta)
    tex = r"\int[\cos(2\pi w\cdot x+2\pi\theta)-\cos2\pi\theta]\,|\hat f|\,dw"
    yield eq(tex, bump @ size, "the cosine representation, twice", within=1e-8)
    t, weight = (torch.tensor(v, dtype=x.dtype) for v in unit_interval_rule(40))

    def slopes(end: torch.Tensor) -> torch.Tensor:
        """The integral of −2π sin(2πb + 2πθ) from 0 to ``end``."""
        total = torch.zeros_like(end)
        for s, v in zip(t, weight, strict=True):
            total += v * end * -2 * pi * torch.sin(2 * pi * (s * end + theta))
        return total

    whole = slopes(along) @ size
    tex = r"\int\!\int_0^{w\cdot x}-2\pi\sin(2\pi b+2\pi\theta)\,db\,|\hat f|\,dw"
    yield eq(tex, whole, "the fundamental theorem of calculus", within=1e-7)
    cut = slopes(along.clamp(min=0).minimum(length)) + slopes(along.clamp(max=0).maximum(-length))
    tex = r"-2\pi\!\int\!\int_0^{\|w\|}1[w\cdot x\ge b]\,s\,db\,dw"
    tex += r" + 2\pi\!\int\!\int_{-\|w\|}^01[w\cdot x\le b]\,s\,db\,dw"
    yield eq(tex, cut @ size, "|w·x| ≤ ‖w‖ in the unit ball", within=1e-7)
    yield "Each wave is bounded, however high its frequency:"
    some = length > 0
    yield let(r"|\cos(2\pi w\cdot x+2\pi\theta)-\cos2\pi\theta|", bump[:, some].abs())
    yield le(r"2\pi|w\cdot x|", 2 * pi * along[:, some].abs(), "the cosine is 1-Lipschitz")
    yield le(r"2\pi\|w\|\|x\|", 2 * pi * length[some] * x.norm(dim=1)[:, None], "Cauchy-Schwarz")
