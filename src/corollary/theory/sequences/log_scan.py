r"""A convex recurrence in logarithms.

.. math:: z_t=s_tz_{t-1}+(1-s_t)v_t=e^{A_t}\sum_{j\le t}e^{-A_j}(1-s_j)v_j,\qquad
   A_t=\sum_{j\le t}\ln s_j .

The closed form is a cumulative sum, but :math:`e^{-A_j}` overflows after some hundred steps; with
logarithms of all positive terms it is

.. math:: \ln z_t=A_t+\operatorname{logcumsumexp}_{j\le t}\bigl(\ln(1-s_j)+\ln v_j-A_j\bigr) .

Terms of either sign are scanned apart, which linearity allows. It is exact to about
:math:`\max|A|` units in the last place, so a tree or a loop, which never leave the plain numbers,
are more exact; this is the form that needs no scan primitive.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Feng, Tung, Ahmed, Bengio and
    Hajimirsadeghi (2024), "Were RNNs all we needed?", Appendix B; Heinsen (2023), "Efficient
    parallelization of a ubiquitous sequential computation".
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def gated_log_scan(
    logits: Float[Tensor, "*B T d"], v: Float[Tensor, "*B T d"]
) -> Float[Tensor, "*B T d"]:
    r"""The states of :math:`z_t=s_tz_{t-1}+(1-s_t)v_t` with :math:`s=\sigma(\text{logits})`, z_0=0.

    Example:
        >>> logits, v = torch.zeros(3, 1, dtype=torch.float64), torch.ones(3, 1).double()
        >>> [round(z, 12) for z in gated_log_scan(logits, v).flatten().tolist()]
        [0.5, 0.75, 0.875]
    """
    A = F.logsigmoid(logits).cumsum(-2)
    weight = F.logsigmoid(-logits) - A
    least = torch.finfo(v.dtype).tiny  # stands for 0, whose logarithm has no derivative

    def part(positive: Tensor) -> Tensor:
        return torch.exp(A + torch.logcumsumexp(weight + positive.clamp(min=least).log(), dim=-2))

    return part(v) - part(-v)
