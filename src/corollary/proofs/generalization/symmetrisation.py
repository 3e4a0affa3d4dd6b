r"""A ghost sample, then signs, then one half for each sample.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Theorem 62, steps 3 to 5.
"""

import torch

from corollary.claims.generalization.symmetrisation import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.generalization.rademacher import sign_vectors

SEEN = 3  # points of a sample: all pairs of samples and all signs are counted


def proof(given: Given) -> Proof:
    values = given.values
    samples = given.samples[:, :SEEN].unique(dim=0)
    m = samples.shape[1]
    f = values[:, samples]  # k s m
    signs = sign_vectors(m)
    seen = f.mean(2)
    off = (values.mean(1)[:, None] - seen).amax(0).mean()
    yield let(r"\mathbb E\sup_f(\mathbb Ef-\hat{\mathbb E}_Sf)", off)
    ghost = (seen[:, None, :] - seen[:, :, None]).amax(0).mean()
    by = "𝔼f is the mean over ghost samples S'; a supremum of means is below the mean of suprema"
    yield le(r"\mathbb E\sup_f(\hat{\mathbb E}_{S'}f-\hat{\mathbb E}_Sf)", ghost, by)
    apart = f[:, None] - f[:, :, None]  # k s s' m
    signed = torch.einsum("gm,kabm->gkab", signs, apart).amax(1).mean() / m
    by = "z_i and z_i' may change places"
    yield eq(r"\mathbb E\sup_f\tfrac1m\sum_i\sigma_i(f(z_i')-f(z_i))", signed, by)
    one = torch.einsum("gm,ksm->gks", signs, f).amax(1).mean() / m
    yield le(r"2\mathcal R_m(\mathcal F)", 2 * one, "two sums, two suprema, and −σ is like σ")


def tight() -> Given:
    """Differences of two indicators on many points: each sample has its own best function."""
    e = torch.eye(20, dtype=torch.float64)
    values = (e[:, None] - e[None]).reshape(-1, 20)
    return Given(values, torch.arange(20)[:, None])


def as_printed(given: Given) -> Proof:
    """Steps 4 and 5 of the sketch lack the factor 1/m."""
    f = given.values[:, given.samples[:, :SEEN].unique(dim=0)]
    m, seen = f.shape[2], f.mean(2)
    ghost = (seen[:, None] - seen[:, :, None]).amax(0).mean()
    yield let(r"\mathbb E\sup_f(\hat{\mathbb E}_{S'}f-\hat{\mathbb E}_Sf)", ghost)
    apart = f[:, None] - f[:, :, None]
    signed = torch.einsum("gm,kabm->gkab", sign_vectors(m), apart).amax(1).mean()
    by = "z_i and z_i' may change places, as printed"
    yield eq(r"\mathbb E\sup_f\sum_i\sigma_i(f(z_i')-f(z_i))", signed, by, wrong=True)
