r"""What every decoder asks of a model: the next token's log-probabilities, for a batch of prefixes.

A model is a function from prefixes (b, t) of token numbers to log-probabilities (b, K); if it has a
method ``reader``, decoders hand it the new tokens alone, see
:mod:`corollary.theory.sequences.decoding.reading`. The probability of a sequence is the product

.. math:: p(y_1,\dots,y_N)=\prod_{n=1}^Np(y_n\mid y_1,\dots,y_{n-1}),

which is kept as a sum of logarithms: a thousand factors of 1/2 are no float64, but their
logarithms add up to -693. A sequence is finished when it ends in ``eos``, or when no token has a
positive probability after it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.sequences.decoding.reading import NextToken, fresh_reader


@dataclass(frozen=True)
class Decoded:
    """A sequence that a decoder found, without the prefix from which it started."""

    tokens: tuple[int, ...]
    log_probability: float
    finished: bool  # ended by eos, or because there is no next token; False if max_len cut it off

    @property
    def probability(self) -> float:
        """The product of the factors; zero where it underflows."""
        return math.exp(self.log_probability)

    def score(self, alpha: float | int = 0.0) -> float:
        """The logarithm of the probability, divided by the length to the power ``alpha``."""
        scale: float = max(len(self.tokens), 1) ** alpha
        return self.log_probability / scale


class TokenTable:
    """A model written down as a table: first tokens, and what may follow a token.

    Args:
        initial: Probabilities of the first token.
        expansions: For a token, the probabilities of the next one; a token that is not listed, or
            lists nothing, ends the sequence. Sums below 1 leave room for what the table omits.

    Example:
        >>> table = TokenTable({"A": 0.75, "B": 0.25}, {"A": {"B": 1.0}})
        >>> table.tokens
        ('A', 'B')
        >>> table(torch.tensor([[0], [1]])).exp().tolist()  # B follows A, nothing follows B
        [[0.0, 1.0], [0.0, 0.0]]
    """

    def __init__(
        self, initial: Mapping[str, float], expansions: Mapping[str, Mapping[str, float]]
    ) -> None:
        rows = {"the start": initial, **expansions}
        names = [name for row in (initial, *expansions.values()) for name in row]
        self.tokens = tuple(dict.fromkeys([*names, *expansions]))
        number = {name: k for k, name in enumerate(self.tokens)}
        p = torch.zeros(len(self.tokens) + 1, len(self.tokens), dtype=torch.float64)
        for name, row in rows.items():
            if min(row.values(), default=0.0) < 0 or sum(row.values()) > 1 + 1e-9:
                raise InputError(
                    f"probabilities after {name} must be >= 0 and sum to at most 1, got {dict(row)}"
                )
            for token, value in row.items():
                p[number.get(name, -1) if row is not initial else -1, number[token]] = value
        self.log_p = p.log()  # row k: after token k; last row: at the start

    def __call__(self, prefix: Int[Tensor, "b t"]) -> Float[Tensor, "b K"]:
        """Log-probabilities of what follows the last token of each prefix."""
        if prefix.shape[1] == 0:
            return self.log_p[-1].expand(len(prefix), -1)
        return self.log_p[prefix[:, -1]]

    def words(self, tokens: Sequence[int]) -> tuple[str, ...]:
        """Token numbers as names."""
        return tuple(self.tokens[k] for k in tokens)


def decode_stepwise(
    next_token: NextToken,
    choose: Callable[[Tensor], Tensor],
    max_len: int,
    *,
    eos: int | None = None,
    start: Int[Tensor, "b t"] | None = None,
) -> list[Decoded]:
    """Append one chosen token after the other to each row of a batch.

    Args:
        next_token: The model.
        choose: From log-probabilities (b, K) to tokens (b,): an argmax, or a sampler.
        max_len: The most tokens to append.
        eos: The token that ends a sequence; it is part of what is returned.
        start: Prefixes, one per row; a single empty one when left out.

    Example:
        >>> table = TokenTable({"A": 0.75, "B": 0.25}, {"A": {"B": 1.0}})
        >>> decode_stepwise(table, lambda log_p: log_p.argmin(dim=1), 5)[0].tokens
        (1,)
    """
    prefix = torch.empty(1, 0, dtype=torch.int64) if start is None else start
    check_length(max_len)
    b, reader, new, out = len(prefix), fresh_reader(next_token), prefix, []
    live = torch.ones(b, dtype=torch.bool, device=prefix.device)
    total = torch.zeros(b, dtype=torch.float64, device=prefix.device)
    length = torch.zeros(b, dtype=torch.int64, device=prefix.device)
    for _ in range(max_len):
        log_p = reader.read(new)
        live = live & (log_p > -torch.inf).any(dim=1)
        if not bool(live.any()):
            break
        log_p = log_p.masked_fill(~live[:, None], 0.0)  # a row that has ended may choose anything
        token = choose(log_p)
        total += log_p.gather(1, token[:, None])[:, 0].masked_fill(~live, 0.0)
        length += live
        new = token[:, None]
        out.append(new)
        if eos is not None:
            live = live & (token != eos)
    tokens = torch.cat(out, dim=1) if out else prefix[:, :0]
    rows = zip(tokens.tolist(), total.tolist(), length.tolist(), live.tolist(), strict=True)
    return [Decoded(tuple(row[:n]), value, not alive) for row, value, n, alive in rows]


def sequence_log_probability(next_token: NextToken, tokens: Sequence[int]) -> float:
    """The logarithm of the probability of a whole sequence, from the empty prefix.

    Example:
        >>> table = TokenTable({"A": 0.75, "B": 0.25}, {"A": {"B": 1.0}})
        >>> round(math.exp(sequence_log_probability(table, [0, 1])), 12)
        0.75
    """
    y = torch.as_tensor([list(tokens)], dtype=torch.int64)
    reader, total = fresh_reader(next_token), 0.0
    for n in range(y.shape[1]):
        total += float(reader.read(y[:, max(n - 1, 0) : n])[0, y[0, n]])
    return total


def check_length(max_len: int) -> None:
    """Refuse a negative number of tokens."""
    if max_len < 0:
        raise InputError(f"expected max_len >= 0, got {max_len}")
