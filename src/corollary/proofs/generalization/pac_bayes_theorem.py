r"""Jensen, a change of measure, Markov, and a binomial.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 69.
"""

import torch
from torch import Tensor
from torch.distributions import Binomial

from corollary.claims.generalization.pac_bayes_theorem import DELTAS, Given, PacBayesTheorem
from corollary.core import Proof, eq, le, let
from corollary.theory.generalization.change_of_measure import gibbs_tilt
from corollary.theory.generalization.divergence import kl_discrete
from corollary.theory.generalization.pac_bayes import Delta


def square(R: Tensor, R_S: Tensor) -> Tensor:
    """The distance of Theorem 70."""
    return (R - R_S).square()


def proof(claim: PacBayesTheorem, given: Given) -> Proof:
    R, RS, P = given
    N, eps, apart = claim.N, claim.eps, DELTAS[claim.distance]
    each = N * apart(R.expand_as(RS), RS)
    Q = gibbs_tilt(P, each)
    yield "On each sample, for the posterior that makes it hardest:"
    mean = N * apart((Q * R).sum(1).clamp(0, 1), (Q * RS).sum(1).clamp(0, 1))
    yield let(r"N\Delta(\mathbb E_QR,\mathbb E_QR_S)", mean)
    yield le(r"\mathbb E_Q[N\Delta(R,R_S)]", (Q * each).sum(1), "Jensen; Δ is convex")
    X = (P * each.exp()).sum(1)
    tex = r"\operatorname{KL}(Q\|P) + \ln\mathbb E_P[e^{N\Delta(R,R_S)}]"
    yield le(tex, kl_discrete(Q, P) + X.log(), "change of measure")
    yield "Over the samples, with P fixed before them:"
    k = torch.arange(N + 1.0, dtype=R.dtype)
    grid = torch.linspace(0.001, 0.999, 999, dtype=R.dtype)

    def moment(m: Tensor, distance: Delta) -> Tensor:
        odds = Binomial(N, m[:, None], validate_args=False).log_prob(k)
        both = torch.broadcast_tensors(m[:, None], k / N)
        total: Tensor = (odds + N * distance(*both)).exp().sum(1)
        return total

    J = moment(grid, apart).max()
    light = (P * (N * square(R, RS)).exp()).sum(1).mean()
    yield let(r"\mathbb E_S\mathbb E_P[e^{N\Delta(R,R_S)}]", light)
    tex = r"\mathbb E_P\sum_k\operatorname{Bin}(k;N,R)\,e^{N\Delta(R,k/N)}"
    by = "N R_S is binomial; measured for Δ = (R − R_S)², whose tail is light"
    yield eq(tex, moment(R, square).mean(), by, within=0.08)
    exact = moment(R, apart).mean()
    yield let(tex, exact)
    yield le(r"J_\Delta(N)", J, "the largest of them")
    yield let(r"P(\mathbb E_P[e^{N\Delta}]\ge J/\varepsilon)", (X >= J / eps).double().mean())
    share = exact * eps / J
    yield le(
        r"\mathbb E_S\mathbb E_P[e^{N\Delta}]\,\tfrac\varepsilon J", share, "Markov", loose=12.0
    )
    yield le(r"\varepsilon", eps, "the chain above")
