r"""One unit for each point: on at its own, off at all others, with room on both sides.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 75; Vardi, Yehudai and Shamir
    (2022), "Gradient methods provably converge to non-robust networks".
"""

import torch

from corollary.claims.robustness.robust_network import Given
from corollary.core import Proof, eq, ge, le, let

SHARE = 0.5  # of the radius that the claim certifies; the notes' (1 − c)√d/4


def proof(given: Given) -> Proof:
    x, y, c = given
    m, d = x.shape
    weights, bias = 2 * x / (d * (1 - c)), -(1 + c) / (1 - c)
    units = x @ weights.T + bias  # point i, unit j
    own, others = units.diagonal(), ~torch.eye(m, dtype=torch.bool)
    yield "At its own point a unit is on:"
    yield let(r"\langle w_i,x_i\rangle + b_i", own)
    written = 2 * x.square().sum(1) / (d * (1 - c)) - (1 + c) / (1 - c)
    yield eq(r"\tfrac{2\|x_i\|^2}{d(1-c)} - \tfrac{1+c}{1-c}", written, "the construction")
    yield eq("1", torch.ones(m, dtype=x.dtype), "the points have length √d")
    yield "At another point it is off:"
    yield let(r"\langle w_j,x_i\rangle + b_j", units[others])
    limit = (2 * c - (1 + c)) / (1 - c)
    yield le(r"\tfrac{2c}{1-c} - \tfrac{1+c}{1-c}", limit, "correlations are at most c")
    yield eq("-1", -1.0, "added up")
    yield "So f(x_i) = y_i. Now move by δ, half of the certified radius, in the worst directions."
    yield let("f(x_i)", units.relu() @ y)
    yield eq("y_i", y, "only its own unit is on")
    size = SHARE * (1 - c) / 2 * d**0.5
    toward = size * x / x.norm(dim=1, keepdim=True)
    yield let(r"\langle w_i,x_i+\delta\rangle + b_i", ((x - toward) * weights).sum(1) + bias)
    worst = 1 - weights.norm(dim=1) * size
    yield ge(r"1 - \|w_i\|\|\delta\|", worst, "Cauchy-Schwarz")
    yield eq(r"\tfrac12", 1 - SHARE, "the length of w_i is 2/((1 − c)√d)")
    moved = (x[:, None] + toward) * weights
    yield let(r"\langle w_j,x_i+\delta\rangle + b_j", (moved.sum(2) + bias)[others])
    worst = (-1 + weights.norm(dim=1) * size).expand(m, m)[others]
    yield le(r"-1 + \|w_j\|\|\delta\|", worst, "Cauchy-Schwarz")
    yield eq(r"-\tfrac12", SHARE - 1, "the same length; the sign of f is kept")


def tight() -> Given:
    """Points with one correlation, c = 1/4: every inequality is attained."""
    c, m = 0.25, 4
    gram = c * torch.ones(m, m, dtype=torch.float64) + (1 - c) * torch.eye(m, dtype=torch.float64)
    root = torch.linalg.cholesky(gram) * m**0.5
    return Given(root, torch.tensor([1.0, -1.0, 1.0, -1.0]).double(), c)
