r"""Change of measure: an expectation under Q from one under P.

For :math:`Q\ll P`

.. math:: E_Q\,\phi\ \le\ \mathrm{KL}(Q\|P)+\ln E_P\,e^\phi ,

with equality iff :math:`dQ/dP\propto e^\phi`, the Gibbs tilt of P. It holds for all Q at once, and
Q may depend on whatever it likes: that is what makes PAC-Bayes work.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 68; Donsker and Varadhan (1975),
    "Asymptotic evaluation of certain Markov process expectations for large time".
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.generalization.divergence import kl_discrete, kl_gaussian


def dv_gap(
    P: Float[Tensor, "*n k"], Q: Float[Tensor, "*n k"], phi: Float[Tensor, "*n k"]
) -> Float[Tensor, "*n"]:
    r"""The right side minus the left on a finite space, row by row; never negative.

    Example:
        >>> P, phi = torch.tensor([0.5, 0.5]), torch.tensor([0.0, 1.0])
        >>> gap = dv_gap(P, gibbs_tilt(P, phi), phi)
        >>> abs(gap.item()) < 1e-6
        True

    :covers: donsker-varadhan
    """
    if bool(((P == 0) & (Q > 0)).any()):
        raise InputError(
            "Q must be absolutely continuous with respect to P, but Q has mass where P has none"
        )
    return kl_discrete(Q, P) + log_mean_exp(P, phi) - (Q * phi).sum(-1)


def log_mean_exp(P: Float[Tensor, "*n k"], phi: Float[Tensor, "*n k"]) -> Float[Tensor, "*n"]:
    r"""The term :math:`\ln E_Pe^\phi`, safe for large :math:`\phi`.

    Example:
        >>> log_mean_exp(torch.tensor([0.5, 0.5]), torch.tensor([1000.0, 1000.0])).item()
        1000.0
    """
    return torch.logsumexp(phi + P.log(), dim=-1)


def gibbs_tilt(P: Float[Tensor, "*n k"], phi: Float[Tensor, "*n k"]) -> Float[Tensor, "*n k"]:
    r"""The law :math:`Q\propto P\,e^\phi`, for which there is equality.

    Example:
        >>> gibbs_tilt(torch.tensor([0.5, 0.5]), torch.tensor([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """
    return (phi + P.log()).softmax(dim=-1)


def dv_gap_gaussian(
    mean_p: Float[Tensor, " d"],
    var_p: Float[Tensor, " d"],
    mean_q: Float[Tensor, " d"],
    var_q: Float[Tensor, " d"],
    slope: Float[Tensor, " d"],
) -> float:
    r"""The gap for diagonal normal laws and :math:`\phi(\theta)=\langle v,\theta\rangle`.

    :math:`\ln E_Pe^\phi=\langle v,\mu_P\rangle+\frac12\langle v,s_Pv\rangle`, and the tilt of P is
    P moved by :math:`s_Pv`.

    Example:
        >>> z, one = torch.zeros(1), torch.ones(1)
        >>> dv_gap_gaussian(z, one, one, one, one), dv_gap_gaussian(z, one, z, one, one)
        (0.0, 0.5)
    """
    log_mgf = slope @ mean_p + slope.square() @ var_p / 2
    return float(kl_gaussian(mean_q, var_q, mean_p, var_p) + log_mgf - slope @ mean_q)
