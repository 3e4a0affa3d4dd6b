r"""Write the mean under P as one under Q, and use Jensen.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Lemma 68.
"""

import torch

from corollary.claims.generalization.change_of_measure import Given
from corollary.core import Proof, eq, ge, let


def proof(given: Given) -> Proof:
    P, Q, phi = given
    ratio = phi.exp() * P / Q
    yield let(r"\ln\mathbb E_P[e^\varphi]", (P * phi.exp()).sum(1).log())
    by = "P is not 0 where Q is not: both integrals run over the same points"
    inner = (Q * ratio).sum(1)
    yield eq(r"\ln\mathbb E_Q[e^\varphi\tfrac PQ]", inner.log(), by)
    yield ge(
        r"\mathbb E_Q\ln[e^\varphi\tfrac PQ]", (Q * ratio.log()).sum(1), "Jensen; Q has mass 1"
    )
    KL = (torch.xlogy(Q, Q) - torch.xlogy(Q, P)).sum(1)
    tex = r"\mathbb E_Q\varphi - \operatorname{KL}(Q\|P)"
    yield eq(tex, (Q * phi).sum(1) - KL, "the logarithm of a product")
