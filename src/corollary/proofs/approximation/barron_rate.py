r"""A network of drawn units is a mean of independent functions.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Theorem 27.
"""

import torch

from corollary.claims.approximation.barron_rate import SIZES, Given
from corollary.core import Proof, eq, let
from corollary.models.approximators.steps import step


def proof(given: Given) -> Proof:
    f, x, (w, b, c) = given
    target = f(x) - f(torch.zeros_like(x[:1]))
    unit = step(x @ w.T + b) * c  # points, all drawn units
    mean, spread = unit.mean(1), unit.var(1)
    size = target.abs().max()
    yield "Each unit has the function as its mean: the Fourier integral, as a law."
    yield let(r"\mathbb E[c\,1[w\cdot x+b\ge0]] + \max|f-f(0)|", mean + size)
    by = "thresholds represent f in the unit ball; over 50,000 units"
    yield eq(r"f(x)-f(0) + \max|f-f(0)|", target + size, by, within=0.08)
    yield "The mean of n of them is off by a share 1/n of their variance."
    nets = unit.reshape(len(target), -1, SIZES[-1])
    errors = [(nets[:, :, :n].mean(2) - target[:, None]).square().mean() for n in SIZES]
    n = torch.tensor(SIZES, dtype=x.dtype)
    yield let(r"n\,\mathbb E\int(f_n-f)^2\,d\mu", n * torch.stack(errors))
    by = "Maurey's lemma; over 200 networks of each size"
    yield eq(r"\int\operatorname{var}[c\,1[w\cdot x+b\ge0]]\,d\mu", spread.mean(), by, within=0.15)
