r"""Bound the moment generating function, and choose the best exponent.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Theorem 76, with the exponent
    that is left to the reader there.
"""

import math

import torch
from scipy.special import gammaincc

from corollary.claims.robustness.bernstein_sum import BernsteinSum, Given
from corollary.core import Proof, eq, le, let


def proof(claim: BernsteinSum, given: Given) -> Proof:
    k, s2, c = given
    gamma = torch.tensor(claim.gammas, dtype=torch.float64)
    L = -gamma.log()
    a = (2 * L / (k * s2)).sqrt()
    lam, t = a / (1 + c * a), (2 * s2 * k * L).sqrt() + c * L
    q = torch.arange(2.0, 400.0, dtype=torch.float64)
    signed = torch.tensor([(-1.0) ** j / math.factorial(j) for j in range(25)], dtype=torch.float64)
    moment = signed.cumsum(0)[q.int().clamp(max=24)]  # 𝔼X^q / q! counts derangements
    terms = lam[:, None] ** q * moment
    yield "For an exponential variable less its mean, at the best λ of each γ:"
    yield let(r"\mathbb E e^{\lambda X}", torch.exp(-lam) / (1 - lam))
    tex = r"1 + \sum_{q\ge2}\tfrac{\lambda^q}{q!}\mathbb EX^q"
    yield eq(tex, 1 + terms.sum(1), "X has mean 0", within=1e-6)
    series = 1 + s2 / 2 * (lam[:, None] ** q * c ** (q - 2)).sum(1)
    yield le(r"1 + \tfrac{s^2}2\sum_{q\ge2}\lambda^qc^{q-2}", series, "the moment condition")
    closed = s2 * lam**2 / (2 * (1 - c * lam))
    yield eq(r"1 + \tfrac{s^2\lambda^2}{2(1-c\lambda)}", 1 + closed, "a geometric series")
    yield le(r"\exp\tfrac{s^2\lambda^2}{2(1-c\lambda)}", closed.exp(), "1 + x ≤ eˣ")
    yield "For the sum of k of them, at t = √(2s²kL) + cL with L = log(1/γ):"
    tail = gammaincc(k, (k + t).numpy())
    yield let(r"P(\sum X_j\ge t)", torch.as_tensor(tail))
    markov = torch.exp(-lam * t) * (torch.exp(-lam) / (1 - lam)) ** k
    yield le(r"e^{-\lambda t}(\mathbb Ee^{\lambda X})^k", markov, "Markov, independence", loose=8.0)
    bound = torch.exp(-lam * t + k * closed)
    yield le(r"\exp(-\lambda t + \tfrac{ks^2\lambda^2}{2(1-c\lambda)})", bound, "the chain above")
    yield eq(r"\gamma", gamma, "λ = a/(1 + ca) with a = √(2L/ks²)")
