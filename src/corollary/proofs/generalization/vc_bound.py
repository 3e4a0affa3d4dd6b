r"""A second sample replaces the risk; then only labelings of both samples count.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 60; Vapnik and Chervonenkis (1971),
    "On the uniform convergence of relative frequencies of events to their probabilities".
:supplied: The notes omit the proof of Theorem 60.
"""

import math

import torch
from torch import Tensor

from corollary.claims.generalization.vc_bound import Given, VcBound, of_thresholds
from corollary.core import Proof, eq, le, let
from corollary.theory.generalization.shattering import thresholds

SEEN, PAIRS = 6, 100  # points of a sample, and pairs of samples whose labelings are counted
EPS = torch.tensor([0.05, 0.2, 0.4, 0.6, 0.8], dtype=torch.float64)


def swap_odds(different: Tensor, n: int) -> Tensor:
    """P(Σσ_i ≥ nε/2) for so many twins with different labels, at each ε."""
    heads = torch.arange(n + 1.0)
    table = []
    for j in range(n + 1):
        counts = torch.tensor([math.comb(j, h) for h in range(j + 1)]).double() / 2**j
        sums = 2 * heads[: j + 1].double() - j
        table.append((counts * (sums >= n * EPS[:, None] / 2 - 1e-9)).sum(1))
    return torch.stack(table)[different]  # f ε


def proof(claim: VcBound, given: Given) -> Proof:
    x, n = given.x[:, :SEEN], min(SEEN, given.x.shape[1])
    half = len(x) // 2
    first, ghost = x[:half], x[half : 2 * half]
    deviation = given.suprema(first)[:, None]
    yield let(r"P(\sup_f(R-R_S)>\varepsilon)", (deviation > EPS).double().mean(0))
    ahead, odds = [], []
    for S, T in zip(first[:PAIRS], ghost[:PAIRS], strict=True):
        labels = given.labelings(torch.cat([S, T])[:, None]).double()  # of both samples at once
        gaps = labels[:, n:] - labels[:, :n]
        ahead.append(gaps.mean(1).amax() >= EPS / 2 - 1e-9)
        odds.append(swap_odds((gaps != 0).sum(1), n).sum(0))
    twice = 2 * torch.stack(ahead).double().mean(0)
    by = "a ghost sample S' is near R with probability 1/2, if nε² ≥ 2"
    yield le(r"2P(\sup_f(R_{S'}-R_S)\ge\tfrac\varepsilon2)", twice, by)
    by = "twins may change places; a union over the labelings of 2n points"
    summed = 2 * torch.stack(odds).mean(0)
    tex = r"2\,\mathbb E\sum_{f}P_\sigma(\tfrac1n\sum\sigma_i(f(z_i')-f(z_i))\ge\tfrac\varepsilon2)"
    yield le(tex, summed, by, within=0.05)
    growth = 2 * n + 1
    by = "at most S(2n) = 2n + 1 labelings, Hoeffding for each"
    tail = 2 * growth * torch.exp(-n * EPS**2 / 8)
    yield le(r"2S(2n)\,e^{-n\varepsilon^2/8}", tail, by, loose=3.0)
    yield "Solved for ε at the probability δ:"
    full, delta = given.x.shape[1], claim.delta
    eps = 2 * math.sqrt(2 * (math.log(2 * full + 1) + math.log(2 / delta)) / full)
    yield let(r"2S(2n)\,e^{-n\varepsilon^2/8}", 2 * (2 * full + 1) * math.exp(-full * eps**2 / 8))
    yield eq(r"\delta", delta, "ε = 2√(2(log S(2n) + log 2/δ)/n)")


def tight() -> Given:
    """One point in each sample, all pairs of a grid: the first step is nearly attained."""
    u = (torch.arange(10.0, dtype=torch.float64) + 0.5) / 10
    pairs = torch.cartesian_prod(u, u)
    return Given(torch.cat([pairs[:, 0], pairs[:, 1]])[:, None], thresholds, of_thresholds)
