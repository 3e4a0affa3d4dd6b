r"""Entries of mean zero see each other only where they are the same.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Lemma 48.
"""

import torch
from torch import Generator

from corollary.claims.landscape.random_second_moment import Given, RandomSecondMoment
from corollary.core import Proof, eq, let
from corollary.theory.landscape.random_products import entries


def proof(claim: RandomSecondMoment, given: Given, rng: Generator) -> Proof:
    A, B = given
    s2 = claim.s2
    W = entries("gaussian", (claim.draws, claim.d, claim.e), s2, rng=rng)
    yield let(r"\mathbb E\|AWB\|_F^2", (A @ W @ B).square().sum((1, 2)).mean())
    pairs = torch.einsum("tij,tkl,tml,tin->tjknm", A, B, B, A).mean(0)
    same = torch.eye(claim.d * claim.e, dtype=A.dtype).reshape(pairs.shape[:2] + (claim.d, claim.e))
    by = "a trace of six sums; the mean over draws stands for 𝔼"
    whole = (pairs * s2 * same).sum()
    tex = r"\sum a_{ij}b_{kl}b_{ml}a_{in}\,\mathbb E[w_{jk}w_{nm}]"
    yield eq(tex, whole, by, within=0.06)
    left = torch.einsum("tij,tkl->t", A.square(), B.square()).mean()
    by = "𝔼[w_jk w_nm] is σ² for the same entry, else 0"
    yield eq(r"\sigma^2\,\mathbb E\sum_{ijkl}a_{ij}^2b_{kl}^2", s2 * left, by)
    both = A.square().sum((1, 2)).mean() * B.square().sum((1, 2)).mean()
    by = "A and B are independent"
    tex = r"\sigma^2\,\mathbb E\|A\|_F^2\,\mathbb E\|B\|_F^2"
    yield eq(tex, s2 * both, by, within=0.06)


def as_printed(claim: RandomSecondMoment, given: Given, rng: Generator) -> Proof:
    """Lemma 48 asks for uncorrelated factors only; with a common random length it is not true."""
    A, B = claim.factors(rng, lengths=1)
    left = torch.einsum("tij,tkl->t", A.square(), B.square()).mean()
    yield let(r"\mathbb E\sum_{ijkl}a_{ij}^2b_{kl}^2", left)
    both = A.square().sum((1, 2)).mean() * B.square().sum((1, 2)).mean()
    by = "A, B uncorrelated, with one random length"
    yield eq(r"\mathbb E\|A\|_F^2\,\mathbb E\|B\|_F^2", both, by, within=0.06, wrong=True)
