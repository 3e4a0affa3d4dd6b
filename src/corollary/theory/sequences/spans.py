r"""The best span: where an answer starts and ends.

.. math:: (s^*, e^*) = \arg\max_{s \le e < s + \ell} \; a_s + b_e

over the positions of the passage, for start scores :math:`a` and end scores :math:`b`. The two
maxima taken apart may cross (:math:`e < s`), so they are searched together.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT, Section 4.2.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from corollary.errors import InputError


class Span(NamedTuple):
    """The best span of each row; both ends belong to it."""

    start: Int[Tensor, " b"]
    end: Int[Tensor, " b"]
    score: Float[Tensor, " b"]


def best_span(
    start: Float[Tensor, "b t"],
    end: Float[Tensor, "b t"],
    passage: Bool[Tensor, "b t"] | None = None,
    *,
    max_length: int | None = None,
) -> Span:
    """The span with the largest sum of scores, in O(t max_length) a row.

    Args:
        start: Scores of the first token.
        end: Scores of the last token.
        passage: Tokens that may be part of an answer; question and special tokens are not.
        max_length: Most tokens of an answer.

    Example:
        >>> a, b = torch.tensor([[0.0, 3.0, 1.0]]), torch.tensor([[5.0, 0.0, 2.0]])
        >>> best_span(a, b)  # the largest end comes before the largest start
        Span(start=tensor([0]), end=tensor([0]), score=tensor([5.]))
        >>> best_span(a, b, torch.tensor([[False, True, True]])).end.tolist()
        [2]
    """
    t = start.shape[1]
    longest = t if max_length is None else min(max_length, t)
    if longest < 1:
        raise InputError(f"an answer has at least one token, got max_length={max_length}, {t=}")
    if passage is not None:
        if not bool(passage.any(dim=1).all()):
            rows = (~passage.any(dim=1)).nonzero().flatten().tolist()
            raise InputError(f"each row needs a passage, but rows {rows[:5]} have none")
        start = start.masked_fill(~passage, -torch.inf)
        end = end.masked_fill(~passage, -torch.inf)
    room = torch.nn.functional.pad(end, (0, longest - 1), value=-torch.inf)
    sums = start[:, :, None] + room.unfold(1, longest, 1)  # (b, t, longest): s, then e - s
    score, place = sums.flatten(1).max(dim=1)
    s = place // longest
    return Span(s, s + place % longest, score)
