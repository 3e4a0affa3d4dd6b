r"""What is far from a small subspace stays far from it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Theorem 12, quoted there without
    proof; Eckart and Young (1936), "The approximation of one matrix by another of lower rank".
"""

import torch
from torch import Generator

from corollary.claims.networks.eckart_young import EckartYoung, Given
from corollary.core import Proof, eq, ge, let, normal


def proof(given: Given, rng: Generator) -> Proof:
    X, r, rank = given
    U, S, Vh = torch.linalg.svd(X, full_matrices=False)
    Q = torch.linalg.qr(X @ (Vh[:rank].T + 0.1 * normal(rng, X.shape[1], rank))).Q
    Y = Q @ (Q.T @ X)
    near = (Vh @ torch.linalg.svd(Y).Vh[:rank].T).square().sum(1)  # share of each row in Y's rows
    yield "Let Y have rank at most r, and P project on its rows; here Y is a random challenger."
    yield let(r"\|X-Y\|^2", (X - Y).square().sum())
    P = torch.linalg.svd(Y).Vh[:rank]
    rest = X - X @ P.T @ P
    by = "Y is nothing outside of its rows"
    yield ge(r"\|X(I-P)\|^2", rest.square().sum(), by)
    weights = (S**2 * (1 - near)).sum()
    yield eq(r"\sum_i\sigma_i^2(1-\|Pv_i\|^2)", weights, "in the basis of singular vectors")
    by = "the shares |Pv|² are at most 1 and sum to at most r: best on the largest"
    yield ge(r"\sum_{i>r}\sigma_i^2", S[r:].square().sum(), by)
    yield eq(r"\|X-X_r\|^2", (X - U[:, :r] * S[:r] @ Vh[:r]).square().sum(), "orthogonal parts")


def tight(claim: EckartYoung) -> Given:
    """A matrix of low rank and noise: the challengers are almost the best."""
    large = torch.zeros(8, 8, dtype=torch.float64)
    large[0, 0] = 100.0
    return Given(large + torch.eye(8, dtype=torch.float64), 1, 1)
