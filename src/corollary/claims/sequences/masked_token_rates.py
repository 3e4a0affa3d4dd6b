r"""Masked tokens: 15 percent, and of these 80, 10 and 10.

Each token that is not special is selected with probability :math:`p = 0.15`, independently. A
selected token becomes ``[MASK]`` with probability 0.8, a token drawn from the :math:`m` ordinary
ones with probability 0.1, and stays with probability 0.1. A drawn token is the old one in
:math:`1/m` of the cases, so of all tokens

.. math:: 0.8\,p = 0.12 \text{ are masked}, \qquad 0.1\,p\,(1 - 1/m) \text{ are another token},
    \qquad 0.1\,p\,(1 + 1/m) \text{ are selected and look untouched},

and no special token is ever selected.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Section 3.1.
:kind: algorithm
:cost: instant
:covers: masked-language-modeling
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Count,
    Figure,
    Hypothesis,
    Level,
    Points,
    option,
    within_interval,
)
from corollary.data.masked_tokens import IGNORED, SHARES, mlm_corrupt

SPECIAL = (0, 1, 2, 3, 4)  # padding, unknown, [CLS], [SEP], [MASK]
MASK_ID = 4
P = 0.15


class Given(NamedTuple):
    """Token ids before and after, the labels, and the shares that were used."""

    ids: Int[Tensor, "b t"]
    inputs: Int[Tensor, "b t"]
    labels: Int[Tensor, "b t"]
    vocab: int
    shares: tuple[float, float, float]


@dataclass(frozen=True)
class MaskedTokenRates(Claim[Given]):
    """Frequencies of the four fates of a token against their probabilities."""

    rows: int = 2000  # sequences
    length: int = option(64, low=8)  # tokens of a sequence, special ones included
    vocab: int = option(100, low=7)  # tokens of the vocabulary
    relation = within_interval(level=0.999, resolution=0.004)  # 120,000 tokens: ±0.003 at most

    def given(self, rng: Generator) -> Given:
        """Random sequences between ``[CLS]`` and ``[SEP]``, corrupted as in BERT."""
        return self._corrupted(SHARES, rng)

    def _corrupted(self, shares: tuple[float, float, float], rng: Generator) -> Given:
        size = (self.rows, self.length)
        ids = torch.randint(len(SPECIAL), self.vocab, size, generator=rng, device=rng.device)
        ids[:, 0], ids[:, -1] = 2, 3
        options = {"vocab_size": self.vocab, "mask_id": MASK_ID, "special_ids": SPECIAL, "p": P}
        return Given(ids, *mlm_corrupt(ids, shares=shares, rng=rng, **options), self.vocab, shares)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The recipe of BERT."""
        yield Hypothesis("of the selected tokens 80, 10 and 10 percent", given.shares == SHARES)

    def predict(self, given: Given) -> list[float]:
        """Masked, another token, selected but untouched; special and selected."""
        m = given.vocab - len(SPECIAL)
        return [0.8 * P, 0.1 * P * (1 - 1 / m), 0.1 * P * (1 + 1 / m), 0.0]

    def measure(self, given: Given) -> list[Count]:
        """The same, counted."""
        special = torch.isin(given.ids, torch.tensor(SPECIAL, device=given.ids.device))
        selected = given.labels != IGNORED
        ordinary, n = selected & ~special, int((~special).sum())
        same, mask = given.inputs == given.ids, given.inputs == MASK_ID
        fates = (ordinary & mask, ordinary & ~mask & ~same, ordinary & same)
        counts = [Count(int(fate.sum()), n) for fate in fates]
        return [*counts, Count(int((selected & special).sum()), int(special.sum()))]

    def counterexample(self, rng: Generator) -> Given:
        """Every selected token is masked: none is random and none is left."""
        return self._corrupted((1.0, 0.0, 0.0), rng)

    def figure(self, given: Given) -> Figure:
        """Four rates with their intervals."""
        readings = [count.read(0.999) for count in self.measure(given)]
        rates = self.predict(given)
        names = ("masked", "another token", "untouched", "special")
        levels = [Level(r, label=f"{n}: {r:.4f}") for r, n in zip(rates[:2], names, strict=False)]
        return Figure(
            "What happens to a token",
            x="1 masked, 2 another token, 3 untouched, 4 special",
            y="share of tokens",
            marks=(
                *levels,
                Points(
                    [1, 2, 3, 4],
                    [r.value for r in readings],
                    label="counted, with 99.9 % intervals",
                    low=[r.low for r in readings],
                    high=[r.high for r in readings],
                ),
            ),
        )
