r"""Compare both functions with what they look like on the sample; then pay for all of them.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 59.
"""

from math import log, sqrt

import torch

from corollary.claims.generalization.erm_excess_risk import ErmExcessRisk, Given
from corollary.core import Proof, eq, le, let


def proof(claim: ErmExcessRisk, given: Given) -> Proof:
    R, RS, chosen, n = given
    best, N = int(R.argmin()), len(R)
    own, twin = RS.gather(1, chosen[:, None])[:, 0], RS[:, best]
    off = (R - RS).abs()
    yield "On every sample:"
    yield let("R(f_S) - R(f^*)", R[chosen] - R[best])
    split = (R[chosen] - own) + (own - twin) + (twin - R[best])
    tex = r"[R(f_S)-R_S(f_S)] + [R_S(f_S)-R_S(f^*)] + [R_S(f^*)-R(f^*)]"
    yield eq(tex, split, "two zeros are added")
    kept = (R[chosen] - own) + (twin - R[best])
    yield le(r"[R(f_S)-R_S(f_S)] + [R_S(f^*)-R(f^*)]", kept, "f_S has the least empirical risk")
    yield le(r"2\sup_f|R(f)-R_S(f)|", 2 * off.amax(1), "each bracket is at most the supremum")
    yield "Over the samples, for a deviation that is not too rare to be seen:"
    eps = off.flatten()[:: max(1, off.numel() // 5000)].quantile(0.98)
    bad = (off >= eps).double()
    yield let(r"P(\sup_f|R-R_S|\ge\varepsilon)", bad.amax(1).mean())
    yield le(r"\sum_iP(C_i)", bad.mean(0).sum(), "the union of N events")
    tail = 2 * N * torch.exp(-2 * n * eps**2)
    yield le(r"2Ne^{-2n\varepsilon^2}", tail, "Hoeffding for each of them", loose=3.0)


def as_printed(given: Given) -> Proof:
    """Theorem 59 lacks “with probability at least 1 − δ”: a rare sample is enough."""
    risks, seen = torch.tensor([0.1, 0.9]).double(), torch.tensor([1.0, 0.8]).double()
    n, delta = 5, 0.99
    yield "Two functions of risks 0.1 and 0.9, on a sample on which the worse one looks better:"
    yield let("R(f_S)", risks[seen.argmin()])
    bound = risks.min() + 2 * sqrt((log(2) + log(2 / delta)) / (2 * n))
    yield le(r"R(f^*) + 2\sqrt{(\log N+\log\tfrac2\delta)/2n}", bound, "as printed", wrong=True)


def tight(claim: ErmExcessRisk) -> list[Given]:
    """One coin toss, under one name and under twenty."""
    first = torch.zeros(200, dtype=torch.int64)
    coins = [torch.tensor([[0.0], [1.0]]).double().repeat(100, names) for names in (1, 20)]
    return [Given(torch.full_like(coin[0], 0.5), coin, first, 1) for coin in coins]
