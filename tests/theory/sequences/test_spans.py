from itertools import product

import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.sequences.spans import best_span


def by_brute_force(start, end, passage, max_length):
    t = len(start)
    spans = [
        (s, e)
        for s, e in product(range(t), repeat=2)
        if s <= e < s + max_length and passage[s] and passage[e]
    ]
    return max(float(start[s] + end[e]) for s, e in spans)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("max_length", [1, 3, 12])
def test_the_span_is_the_best_of_all_pairs(seed, max_length):
    rng = generator(seed, "spans")
    start, end = torch.randn(2, 20, 12, generator=rng, dtype=torch.float64)
    passage = torch.rand(20, 12, generator=rng) < 0.6
    passage[:, 5] = True
    span = best_span(start, end, passage, max_length=max_length)
    expected = [by_brute_force(*row, max_length) for row in zip(start, end, passage, strict=True)]
    assert span.score.tolist() == expected
    rows = torch.arange(20)
    assert bool((span.start <= span.end).all())
    assert bool((span.end - span.start < max_length).all())
    assert bool(passage[rows, span.start].all() and passage[rows, span.end].all())


def test_maxima_that_cross_are_not_taken():
    start, end = torch.tensor([[0.0, 9.0]]), torch.tensor([[9.0, 0.0]])
    span = best_span(start, end)
    assert span.score.item() == 9.0 and bool(span.start <= span.end)


def test_a_row_without_a_passage_is_refused():
    with pytest.raises(InputError, match=r"rows \[1\]"):
        best_span(torch.zeros(2, 3), torch.zeros(2, 3), torch.tensor([[True] * 3, [False] * 3]))
    with pytest.raises(InputError, match="max_length=0"):
        best_span(torch.zeros(2, 3), torch.zeros(2, 3), max_length=0)
