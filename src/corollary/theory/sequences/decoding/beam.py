r"""Beam search: the B best prefixes at each step.

Each of B prefixes is extended by all K tokens, and the B best of the BK are kept: :math:`O(NBK)`
scores for N steps, beside the selection. B = 1 is greedy; :math:`B\ge K^{N-1}` prunes nothing
before the last step and is exhaustive. In between it is a heuristic: a prefix that would win
later may be pruned, so that a wider beam, even compared with B = 1, can return less.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4 and Listing 10.4; Wu, Schuster,
    Chen et al. (2016), "Google's neural machine translation system", Section 7 (length
    normalisation).
:erratum: [code bug] Listing 10.4 works for its printed example, but drops every hypothesis whose
    last token has no expansion, so that finished sequences are lost: with steps=3 the example's
    beam is empty and final_beam[0] raises an IndexError. Here finished sequences are kept, and
    (B, B1) with 0.28 stays the answer at every number of steps; see the claim beam_keeps_finished.
    The listing also multiplies raw probabilities, and 1000 factors of 0.4 underflow to zero; here
    logarithms are added.
"""

import torch
from jaxtyping import Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.sequences.decoding.next_token import Decoded, check_length
from corollary.theory.sequences.decoding.reading import NextToken, fresh_reader


def beam_search(
    next_token: NextToken,
    width: int,
    max_len: int,
    *,
    eos: int | None = None,
    alpha: float | int = 0.0,
    start: Int[Tensor, " t"] | None = None,
) -> list[Decoded]:
    r"""Up to ``width`` sequences, best first.

    Args:
        next_token: The model; it is asked once per step, for all prefixes of the beam. A model with
            a memory reorders it as the beam does.
        width: Prefixes that are kept at each step. Of these, the finished ones are set aside, and
            are in the end compared with all others.
        max_len: The most tokens to append.
        eos: The token that ends a sequence; it is part of what is returned.
        alpha: Sequences are compared by :math:`\log p/N^\alpha`, N their length; 0 compares
            probabilities, 1 the mean of the logarithms.
        start: The prefix; the empty one when left out.

    Example:
        >>> from corollary.theory.sequences.decoding.next_token import TokenTable
        >>> after = {"A": {"A1": 0.5, "A2": 0.2}, "B": {"B1": 0.8}}
        >>> table = TokenTable({"A": 0.4, "B": 0.35, "C": 0.25}, after)
        >>> [(table.words(d.tokens), round(d.probability, 2)) for d in beam_search(table, 2, 2)]
        [(('B', 'B1'), 0.28), (('A', 'A1'), 0.2)]

    :covers: beam-search
    """
    if width < 1:
        raise InputError(f"a beam keeps width >= 1 prefixes, but width is {width}")
    check_length(max_len)
    prefix = torch.empty(1, 0, dtype=torch.int64) if start is None else start[None]
    t0, score = prefix.shape[1], torch.zeros(1, dtype=torch.float64, device=prefix.device)
    done: list[Decoded] = []
    reader, new = fresh_reader(next_token), prefix
    for _ in range(max_len):
        log_p = reader.read(new).double()
        stuck = ~(log_p > -torch.inf).any(dim=1)
        done += _decoded(prefix[stuck, t0:], score[stuck], finished=True)
        row, token, score = _extensions(score, log_p, width)
        prefix = torch.cat([prefix[row], token[:, None]], dim=1)
        if eos is not None:
            ended = token == eos
            done += _decoded(prefix[ended, t0:], score[ended], finished=True)
            row, prefix, score = row[~ended], prefix[~ended], score[~ended]
        if len(prefix) == 0 or _settled(done, width, score, alpha):
            break
        reader.keep(row)
        new = prefix[:, -1:]
    done += _decoded(prefix[:, t0:], score, finished=False)
    return sorted(done, key=lambda found: -found.score(alpha))[:width]


def _extensions(score: Tensor, log_p: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """The best one-token extensions, best first and of equal ones the first: rows, tokens, scores.

    The width-th best value is selected in O(BK); only what reaches it is sorted.
    """
    total = (score[:, None] + log_p).flatten()  # (b K)
    least = total.topk(min(width, len(total))).values[-1:]
    best = ((total >= least) & (total > -torch.inf)).nonzero()[:, 0]
    best = best[total[best].sort(descending=True, stable=True).indices[:width]]
    K = log_p.shape[1]
    return best // K, best % K, total[best]


def _settled(done: list[Decoded], width: int, score: Tensor, alpha: float | int) -> bool:
    """Whether no prefix can overtake: probabilities only fall as sequences grow."""
    if alpha != 0 or len(done) < width:
        return False
    last = sorted((found.log_probability for found in done), reverse=True)[width - 1]
    return last >= float(score[0])


def _decoded(tokens: Tensor, score: Tensor, finished: bool) -> list[Decoded]:
    rows = zip(tokens.tolist(), score.tolist(), strict=True)
    return [Decoded(tuple(row), value, finished) for row, value in rows]
