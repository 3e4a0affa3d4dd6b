r"""A left inverse of a square matrix is the inverse.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.2, proof of Theorem 7.
"""

import torch

from corollary.claims.prerequisites.orthogonal_inverse import Given
from corollary.core import Proof, eq, let


def proof(given: Given) -> Proof:
    Q, x = given
    I = torch.eye(len(Q), dtype=Q.dtype)
    yield let(r"Q^\top Q", Q.T @ Q)
    yield eq("I", I, "the columns are orthonormal, and Q is square")
    yield let(r"Q^\top", Q.T)
    inverse = torch.linalg.inv(Q)
    yield eq(r"Q^\top QQ^{-1}", Q.T @ Q @ inverse, "Q has an inverse, for its columns are a basis")
    yield eq("Q^{-1}", inverse, "QᵀQ = I")
    yield let(r"QQ^\top", Q @ Q.T)
    yield eq("I", I, "the inverse acts from both sides")
    yield let(r"\|Qx\|^2", (x @ Q.T).square().sum(1))
    yield eq(r"x^\top Q^\top Qx", ((x @ Q.T @ Q) * x).sum(1), "written out")
    yield eq(r"\|x\|^2", x.square().sum(1), "QᵀQ = I")
