r"""The loss is a parabola in B, lowest where its slope is zero.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 42.
"""

import torch
from torch import Generator

from corollary.claims.landscape.optimal_second_factor import Given, OptimalSecondFactor
from corollary.core import Proof, eq, ge, let, normal
from corollary.theory.landscape.two_layer_linear import optimal_B, two_layer_loss


def proof(given: Given, rng: Generator) -> Proof:
    A, X, Y, B = given
    V = 0.02 * normal(rng, *B.shape)
    Syx, Sxx = Y @ X.T, X @ X.T
    slope = -A.T @ Syx + A.T @ A @ B @ Sxx
    yield let("L(B+V)", two_layer_loss(A, B + V, X, Y))
    bend = (A @ V @ X).square().sum() / 2
    whole = two_layer_loss(A, B, X, Y) + (slope * V).sum() + bend
    yield eq(r"L(B) + \langle\nabla_BL(B), V\rangle + \tfrac12\|AVX\|^2", whole, "expanded")
    flat = two_layer_loss(A, B, X, Y) + bend
    yield eq(r"L(B) + \tfrac12\|AVX\|^2", flat, "AᵀAB S_xx = Aᵀ S_yx: the slope is 0")
    yield ge("L(B)", two_layer_loss(A, B, X, Y), "a square is not negative")


def tight(claim: OptimalSecondFactor) -> Given:
    """Much noise: nearby factors are almost as good."""
    A, X = torch.eye(3, dtype=torch.float64), torch.eye(3, 9, dtype=torch.float64)
    Y = torch.ones(3, 9, dtype=torch.float64)
    return Given(A, X, Y, optimal_B(A, X, Y))
