r"""The inverse transform, with modulus and phase taken apart.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 26, part i.
"""

from math import pi

import torch

from corollary.claims.approximation.barron_cosines import Given
from corollary.core import Proof, eq, let


def proof(given: Given) -> Proof:
    f, polar, x, _ = given
    reach = 7.5 / (2 * pi * min(f.sigma, polar.sigma))
    line = torch.linspace(-reach, reach, 97, dtype=x.dtype)
    w = torch.cartesian_prod(*[line] * f.d).reshape(-1, f.d)
    cell = float(line[1] - line[0]) ** f.d
    size, phase = polar.modulus(w) * cell, 2 * pi * polar.phase(w)
    angle = 2 * pi * x @ w.T
    yield let("f(x)", f(x))
    waves = torch.polar(torch.ones_like(angle), angle) @ torch.polar(size, phase)
    tex = r"\operatorname{Re}\int e^{2\pi iw\cdot x}\,|\hat f(w)|e^{2\pi i\theta(w)}\,dw"
    yield eq(tex, waves.real, "the inverse transform; f is real", within=1e-8)
    joined = (torch.exp(1j * (angle + phase)) @ size.to(torch.complex128)).real
    tex = r"\int\operatorname{Re}e^{2\pi i(w\cdot x+\theta(w))}\,|\hat f(w)|\,dw"
    yield eq(tex, joined, "exponents add")
    tex = r"\int\cos(2\pi w\cdot x+2\pi\theta(w))\,|\hat f(w)|\,dw"
    yield eq(tex, torch.cos(angle + phase) @ size, "Euler")
