r"""Next sentence prediction: pairs of sentences, half of them true successors.

A positive pair is two sentences of a document that follow one another. A negative one is a
sentence with a sentence drawn from the whole corpus that *never* follows it anywhere: in a corpus
that repeats itself a sentence drawn without looking may well be a true successor.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Section 3.1.
:covers: next-sentence-prediction
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Generator

from corollary.errors import InputError
from corollary.theory.seeding import as_generator

TRIES = 100  # draws of a second sentence before a first one is given up


class Pair(NamedTuple):
    """Two sentences, and whether the second follows the first."""

    first: Any
    second: Any
    follows: bool


def nsp_pairs(
    corpus: Sequence[Sequence[Hashable]],
    n: int,
    *,
    share: float = 0.5,
    exclude_successors: bool = True,
    rng: int | Generator = 0,
) -> list[Pair]:
    """``n`` independent pairs; each is a true successor with probability ``share``.

    Args:
        corpus: Documents, each a sequence of sentences (texts, tuples: anything hashable).
        n: Pairs.
        share: Probability of a true successor.
        exclude_successors: False draws negatives without looking, as a shuffled corpus would.
        rng: Draws everything.

    Example:
        >>> corpus = [["a1", "a2", "a3"], ["b1", "b2", "b3"]]
        >>> pairs = nsp_pairs(corpus, 20, rng=torch.Generator().manual_seed(0))
        >>> {p.second for p in pairs if p.first == "a1" and p.follows}
        {'a2'}
    """
    rng = as_generator(rng)
    if n < 1 or not 0 <= share <= 1:
        raise InputError(f"expected n >= 1 pairs and a share in [0, 1], got {n=}, {share=}")
    steps = [(a, b) for document in corpus for a, b in zip(document, document[1:], strict=False)]
    everything = [sentence for document in corpus for sentence in document]
    if not steps:
        raise InputError("no document of the corpus has two sentences")
    after = defaultdict(set)
    for a, b in steps:
        after[a].add(b)

    def index(size: int) -> int:
        return int(torch.randint(size, (), generator=rng, device=rng.device))

    def negative(first: Hashable) -> Hashable:
        for _ in range(TRIES):
            second = everything[index(len(everything))]
            if not exclude_successors or second not in after[first]:
                return second
        raise InputError(
            "no negative pair was found, because almost every sentence of the corpus follows "
            f"{first!r}"
        )

    coins = torch.rand(n, generator=rng, device=rng.device, dtype=torch.float64) < share
    pairs = []
    for follows in coins.tolist():
        first, second = steps[index(len(steps))]
        pairs.append(Pair(first, second if follows else negative(first), follows))
    return pairs


def successors(corpus: Sequence[Sequence[Hashable]]) -> set[tuple[Any, Any]]:
    """All pairs that follow one another somewhere.

    Example:
        >>> sorted(successors([["a", "b", "c"]]))
        [('a', 'b'), ('b', 'c')]
    """
    pairs = (zip(document, document[1:], strict=False) for document in corpus)
    return {pair for follow in pairs for pair in follow}
