r"""BERT's masking rates: 15 percent of the tokens, and of these 80, 10 and 10 percent.

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
:covers: masked-language-modeling
"""

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.core import Along, Claim, Count, Suppose, option, within_interval
from corollary.data.masked_tokens import IGNORED, SHARES, mlm_corrupt

SPECIAL = (0, 1, 2, 3, 4)  # padding, unknown, [CLS], [SEP], [MASK]
MASK_ID = 4
P = 0.15


class Given(NamedTuple):
    """Token ids, and the recipe."""

    ids: Int[Tensor, "b t"]
    shares: tuple[float, float, float] = SHARES  # of the selected: masked, replaced, left
    spared: tuple[int, ...] = SPECIAL  # never selected
    p: float = P  # of a token to be selected


class MaskedTokenRates(Claim[Given]):
    sequences: int = 2000  # sequences of tokens
    length: int = option(64, low=8)  # tokens of a sequence, special ones included
    vocab: int = option(100, low=7)  # tokens of the vocabulary

    relation = within_interval(level=0.999, resolution=0.004)  # 120,000 tokens: ±0.003 at most
    supposes = (
        Suppose(
            "of the selected tokens 80 % are masked, 10 % replaced and 10 % left",
            lambda g: g.shares == (0.8, 0.1, 0.1),
            "Every selected token is masked; none is replaced and none is left unchanged.",
            shares=(1.0, 0.0, 0.0),
        ),
        Suppose(
            "every special token that occurs is spared",
            lambda g: set(g.ids[g.ids <= max(SPECIAL)].tolist()) <= set(g.spared),
            "[CLS] and [SEP] are selected like any token.",
            spared=(),
        ),
        Suppose(
            "a token is selected with probability 0.15",
            lambda g: g.p == P,
            "Tokens are selected with probability 0.225.",
            p=1.5 * P,
        ),
    )
    symbols = "probability", "frequency"
    rows = "masked", "another token", "untouched", "special"
    shows = Along("What happens to a token", x="fate", y="share of tokens")

    def given(self, rng: Generator) -> Given:
        """Random sequences between ``[CLS]`` and ``[SEP]``."""
        size = (self.sequences, self.length)
        ids = torch.randint(len(SPECIAL), self.vocab, size, generator=rng)
        ids[:, 0], ids[:, -1] = 2, 3
        return Given(ids)

    def predict(self, given: Given) -> list[float]:
        m = self.vocab - len(SPECIAL)
        return [0.8 * P, 0.1 * P * (1 - 1 / m), 0.1 * P * (1 + 1 / m), 0.0]

    def measure(self, given: Given, rng: Generator) -> list[Count]:
        ids, shares, spared, p = given
        inputs, labels = mlm_corrupt(
            ids,
            vocab_size=self.vocab,
            mask_id=MASK_ID,
            special_ids=spared,
            p=p,
            shares=shares,
            rng=rng,
        )
        return fates(ids, inputs, labels)


def fates(
    ids: Int[Tensor, "b t"], inputs: Int[Tensor, "b t"], labels: Int[Tensor, "b t"]
) -> list[Count]:
    """Ordinary tokens masked, replaced and selected but untouched; special tokens selected."""
    special = torch.isin(ids, torch.tensor(SPECIAL))
    selected = labels != IGNORED
    ordinary, n = selected & ~special, int((~special).sum())
    same, mask = inputs == ids, inputs == MASK_ID
    kinds = (ordinary & mask, ordinary & ~mask & ~same, ordinary & same)
    counts = [Count(int(kind.sum()), n) for kind in kinds]
    return [*counts, Count(int((selected & special).sum()), int(special.sum()))]
