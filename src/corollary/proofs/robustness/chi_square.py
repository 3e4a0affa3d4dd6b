r"""The moment generating function is known; each tail has its own exponent.

:source: Lucchi (2025), Foundations of Deep Learning, proof idea of Lemma 77; Laurent and Massart
    (2000), "Adaptive estimation of a quadratic functional by model selection", Lemma 1.
"""

import torch
from scipy.stats import chi2

from corollary.claims.robustness.chi_square import Given
from corollary.core import Proof, eq, ge, le, let


def proof(given: Given) -> Proof:
    k, gamma = torch.tensor(given.cases, dtype=torch.float64).T
    L = (2 / gamma).log()
    a = (L / k).sqrt()
    lam = a / (1 + 2 * a)
    mgf = k * (-lam - 0.5 * torch.log1p(-2 * lam))
    up, down = 2 * (k * L).sqrt() + 2 * L, 2 * (k * L).sqrt()
    yield "Above the mean:"
    yield let(r"\ln\mathbb Ee^{\lambda(S-k)}", mgf)
    by = "−x − ½ln(1 − 2x) ≤ x²/(1 − 2x)"
    yield le(r"\tfrac{k\lambda^2}{1-2\lambda}", k * lam**2 / (1 - 2 * lam), by)
    yield let(r"P(S-k\ge2\sqrt{kL}+2L)", torch.as_tensor(chi2.sf((k + up).numpy(), k.numpy())))
    markov = torch.exp(-lam * up + mgf)
    yield le(r"e^{-\lambda t}\,\mathbb Ee^{\lambda(S-k)}", markov, "Markov", loose=8.0)
    bound = torch.exp(-lam * up + k * lam**2 / (1 - 2 * lam))
    yield le(r"\exp(-\lambda t + \tfrac{k\lambda^2}{1-2\lambda})", bound, "above")
    yield eq(r"\tfrac\gamma2", gamma / 2, "λ = a/(1 + 2a) with a = √(L/k)")
    yield "Below it:"
    lower = k * (a - 0.5 * torch.log1p(2 * a))
    yield let(r"P(k-S\ge2\sqrt{kL})", torch.as_tensor(chi2.cdf((k - down).numpy(), k.numpy())))
    markov = torch.exp(-a * down + lower)
    yield le(r"e^{-\lambda t}\,\mathbb Ee^{-\lambda(S-k)}", markov, "Markov", loose=8.0)
    yield le(r"e^{-2L+L} = \tfrac\gamma2", gamma / 2, "x − ½ln(1 + 2x) ≤ x², λ = √(L/k)", loose=1.4)
    yield "Both together, if there are enough degrees of freedom:"
    yield let(r"4\sqrt{kL}", 4 * (k * L).sqrt())
    yield ge(r"2\sqrt{kL}+2L", up, "k ≥ L")


def tight() -> list[Given]:
    """As few degrees of freedom as are allowed, and very many."""
    return [Given(((3, 0.1),)), Given(((10**6, 0.5), (10**8, 0.5)))]


def as_printed(given: Given) -> Proof:
    """(12.8) is stated for all k and γ; one degree of freedom and γ = 10⁻⁶ are too few."""
    k, L = torch.ones(1, dtype=torch.float64), torch.tensor([2e6], dtype=torch.float64).log()
    far = (1 + 4 * (k * L).sqrt()).numpy()
    yield let(r"P(|S-1|>4\sqrt L),\ k=1", torch.as_tensor(chi2.sf(far, 1)))
    yield le(r"\gamma", 1e-6 + 0 * k, "as printed", wrong=True)
