r"""From a set of eigenvectors that is not the best one can turn towards a better one.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 45; Baldi and Hornik (1989), "Neural
    networks and principal component analysis: learning from examples without local minima".
:supplied: The notes omit the proof of Theorem 45.
"""

from itertools import combinations
from math import comb, cos, sin

import torch
from torch import Tensor

from corollary.claims.landscape.baldi_hornik import BaldiHornik, Given
from corollary.core import Proof, eq, let
from corollary.theory.landscape.two_layer_linear import explained, two_layer_loss

ANGLE = 0.1


def proof(claim: BaldiHornik, given: Given) -> Proof:
    X, Y = given
    p, k = claim.p, claim.k
    values, U = explained(X, Y)
    ols = torch.linalg.solve(X @ X.T, Y @ X.T, left=False)
    sets = list(combinations(range(k), p))

    def loss(A: Tensor) -> Tensor:
        """Of the critical point whose columns are those of A."""
        return two_layer_loss(A, A.T @ ols, X, Y)

    yield "A critical point of rank p projects on a set I of p eigenvectors of Σ."
    yield let("L_I", torch.stack([loss(U[:, list(I)]) for I in sets]))
    Sigma = ols @ X @ X.T @ ols.T
    traces = [Y.square().sum() - (U[:, list(I)].T @ Sigma @ U[:, list(I)]).trace() for I in sets]
    tex = r"\tfrac12(\operatorname{tr}S_{yy} - \operatorname{tr}P_I\Sigma)"
    yield eq(tex, torch.stack(traces) / 2, "least squares splits Y orthogonally")
    explained_by = torch.stack([values[list(I)].sum() for I in sets])
    tex = r"\tfrac12(\operatorname{tr}S_{yy} - \sum_{i\in I}\lambda_i)"
    yield eq(tex, (Y.square().sum() - explained_by) / 2, "eigenvectors")
    yield "Turn an eigenvector of I by an angle towards one that is not in I."
    turned, bent = [], []
    for I in sets:
        i, j = max(I), min(set(range(k)) - set(I))
        columns = U[:, list(I)].clone()
        columns[:, -1] = cos(ANGLE) * U[:, i] + sin(ANGLE) * U[:, j]
        turned.append(loss(columns) - loss(U[:, list(I)]))
        bent.append(-0.5 * sin(ANGLE) ** 2 * (values[j] - values[i]))
    yield let(r"L(\theta) - L_I", torch.stack(turned))
    by = "it explains cos²θ λ_i + sin²θ λ_j"
    yield eq(r"-\tfrac12\sin^2\theta\,(\lambda_j-\lambda_i)", torch.stack(bent), by)
    yield "That goes down unless I holds the p largest."
    yield let(r"\#\{I: L(\theta) < L_I\}", (torch.stack(turned) < -1e-6 * values[0]).sum())
    yield eq(r"\tbinom kp - 1", float(comb(k, p) - 1), "the eigenvalues are distinct")
