r"""Exhaustive decoding: every sequence is scored.

.. math:: \operatorname*{arg\,max}_{y_1,\dots,y_N}\prod_{n=1}^Np(y_n\mid y_1,\dots,y_{n-1})

over :math:`K^N` sequences: :math:`O(K^N)` time and memory, the oracle for tests and small tables.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4.
"""

import torch

from corollary.errors import InputError
from corollary.theory.sequences.decoding.next_token import Decoded, check_length
from corollary.theory.sequences.decoding.reading import NextToken, fresh_reader


def every_sequence(
    next_token: NextToken, max_len: int, *, eos: int | None = None, limit: int = 1_000_000
) -> list[Decoded]:
    """All sequences of positive probability that end, or have ``max_len`` tokens.

    If the model's probabilities sum to 1 after every unfinished prefix, so do those of the result.
    More than ``limit`` prefixes at a step are refused.

    Example:
        >>> from corollary.theory.sequences.decoding.next_token import TokenTable
        >>> table = TokenTable({"A": 0.75, "B": 0.25}, {"A": {"A": 0.5, "B": 0.5}})
        >>> [(d.tokens, d.probability) for d in every_sequence(table, 2)]
        [((1,), 0.25), ((0, 0), 0.375), ((0, 1), 0.375)]
    """
    check_length(max_len)
    prefix, score = torch.empty(1, 0, dtype=torch.int64), torch.zeros(1, dtype=torch.float64)
    found: list[Decoded] = []
    reader, new = fresh_reader(next_token), prefix
    for _ in range(max_len):
        log_p = reader.read(new).double()
        possible = log_p > -torch.inf
        if int(possible.sum()) > limit:
            raise InputError(
                f"exhaustive search would score {int(possible.sum())} prefixes, above the limit "
                f"{limit}; use a shorter max_len, or beam_search"
            )
        stuck = ~possible.any(dim=1)
        found += _listed(prefix[stuck], score[stuck], True)
        row, token = possible.nonzero(as_tuple=True)
        prefix = torch.cat([prefix[row], token[:, None]], dim=1)
        score = score[row] + log_p[row, token]
        if eos is not None:
            ended = token == eos
            found += _listed(prefix[ended], score[ended], True)
            row, prefix, score = row[~ended], prefix[~ended], score[~ended]
        if len(prefix) == 0:
            break
        reader.keep(row)
        new = prefix[:, -1:]
    return found + _listed(prefix, score, False)


def decode_exhaustive(
    next_token: NextToken, max_len: int, *, eos: int | None = None, limit: int = 1_000_000
) -> Decoded:
    """The most probable of :func:`every_sequence`.

    Example:
        >>> from corollary.theory.sequences.decoding.next_token import TokenTable
        >>> after = {"A": {"A1": 0.5, "A2": 0.2}, "B": {"B1": 0.8}}
        >>> table = TokenTable({"A": 0.4, "B": 0.35, "C": 0.25}, after)
        >>> best = decode_exhaustive(table, 2)
        >>> table.words(best.tokens), round(best.probability, 12)
        (('B', 'B1'), 0.28)

    :covers: exhaustive-sequence-search
    """
    found = every_sequence(next_token, max_len, eos=eos, limit=limit)
    return max(found, key=lambda decoded: decoded.log_probability)


def _listed(prefix: torch.Tensor, score: torch.Tensor, finished: bool) -> list[Decoded]:
    rows = zip(prefix.tolist(), score.tolist(), strict=True)
    return [Decoded(tuple(row), value, finished) for row, value in rows]
