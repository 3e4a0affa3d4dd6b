r"""Greedy decoding: the most probable token, step by step.

.. math:: y_n=\operatorname*{arg\,max}_k\,p(k\mid y_1,\dots,y_{n-1}) .

N steps over K tokens cost :math:`O(NK)` beside the model. The most probable sequence need not
begin with the most probable token: after A (0.4), A1 (0.5) the probability is 0.2, while B (0.35),
B1 (0.8) has 0.28.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4.
"""

from jaxtyping import Float, Int
from torch import Tensor

from corollary.theory.prerequisites.wellformed import check_no_nan
from corollary.theory.sequences.decoding.next_token import Decoded, decode_stepwise
from corollary.theory.sequences.decoding.reading import NextToken


def most_probable(log_p: Float[Tensor, "b K"]) -> Int[Tensor, " b"]:
    """The token with the largest value in each row; the first of several.

    Example:
        >>> import torch
        >>> most_probable(torch.tensor([[0.0, 2.0, 2.0]])).tolist()
        [1]
    """
    top = log_p.amax(dim=1, keepdim=True)
    check_no_nan("log_p", top)  # the largest of numbers and NaN is NaN
    return (log_p == top).int().argmax(dim=1)


def decode_greedy(
    next_token: NextToken,
    max_len: int,
    *,
    eos: int | None = None,
    start: Int[Tensor, "b t"] | None = None,
) -> list[Decoded]:
    """The greedy continuation of each row of ``start``, by default of the empty sequence.

    Example:
        >>> from corollary.theory.sequences.decoding.next_token import TokenTable
        >>> after = {"A": {"A1": 0.5, "A2": 0.2}, "B": {"B1": 0.8}}
        >>> table = TokenTable({"A": 0.4, "B": 0.35, "C": 0.25}, after)
        >>> best = decode_greedy(table, 2)[0]
        >>> table.words(best.tokens), round(best.probability, 12)
        (('A', 'A1'), 0.2)

    :covers: greedy-decoding
    """
    return decode_stepwise(next_token, most_probable, max_len, eos=eos, start=start)
