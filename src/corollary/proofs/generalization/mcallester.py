r"""Pinsker turns the divergence of two coins into a square.

:source: Lucchi (2025), Foundations of Deep Learning, proof idea of Theorem 70, with the constant
    that the divergence gives.
"""

import math

import torch

from corollary.claims.generalization.mcallester import Given, Mcallester, posteriors
from corollary.core import Proof, eq, le, let
from corollary.theory.generalization.divergence import kl_bernoulli


def proof(claim: Mcallester, given: Given) -> Proof:
    N, share = given.N, claim.eps / len(given.R_S)
    p, q, KL = torch.tensor(posteriors(given), dtype=torch.float64).T
    yield "For every sample and every posterior that is tried, with p = 𝔼_Q R and q = 𝔼_Q R_S:"
    yield let("2(p-q)^2", 2 * (p - q).square())
    yield le(r"\operatorname{kl}(q\|p)", kl_bernoulli(q, p), "Pinsker")
    bound = (KL + math.log(2 * math.sqrt(N) / share)) / N
    by = "the general theorem for kl, where J ≤ 2√N; it fails with probability ε"
    tex = r"\tfrac1N(\operatorname{KL}(Q\|P) + \ln\tfrac{2\sqrt N}\varepsilon)"
    yield le(tex, bound, by, loose=2.0)
    yield "Divide by 2 and take the root."
    yield let("p - q", p - q)
    yield le("|p - q|", (p - q).abs(), "a number and its size")
    root = (bound / 2).sqrt()
    tex = r"\sqrt{\tfrac1{2N}(\operatorname{KL}(Q\|P) + \ln\tfrac{2\sqrt N}\varepsilon)}"
    yield le(tex, root, "the chain above", loose=2.0)
    printed = (2 * (KL + math.log(2 * math.sqrt(N) / share)) / N).sqrt()
    yield "The notes print twice that:"
    yield let(r"\sqrt{\tfrac2N(\operatorname{KL}(Q\|P) + \ln\tfrac{2\sqrt N}\varepsilon)}", printed)
    yield eq(r"2\sqrt{\tfrac1{2N}(\dots)}", 2 * root, "4 below the root")
