r"""The mean value theorem and Cauchy-Schwarz.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.5, proof of Lemma 5.
"""

import torch

from corollary.claims.prerequisites.bounded_gradient import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.prerequisites.increments import unit_interval_rule
from corollary.theory.prerequisites.lipschitz import batch_gradient


def proof(given: Given) -> Proof:
    f, _, a, b, L = given
    t, w = (torch.tensor(v, dtype=a.dtype)[:, None] for v in unit_interval_rule(48))
    slopes = batch_gradient(f, (b + t[..., None] * (a - b)).reshape(-1, 2)).reshape(len(t), -1, 2)
    along, length = (slopes * (a - b)).sum(2), (a - b).norm(dim=1)
    yield let("|f(a) - f(b)|", (f(a) - f(b)).abs())
    mean = (w * along).sum(0).abs()
    yield eq(r"\bigl|\int_0^1\nabla f(z_t)^\top(a-b)\,dt\bigr|", mean, "the mean value theorem")
    by = "Cauchy-Schwarz at each point of the segment"
    cauchy = (w * slopes.norm(dim=2)).sum(0) * length
    yield le(r"\int_0^1\|\nabla f(z_t)\|\,dt\;\|a-b\|", cauchy, by)
    yield le(r"L\,\|a-b\|", L * length, "the segment lies in the convex set")
