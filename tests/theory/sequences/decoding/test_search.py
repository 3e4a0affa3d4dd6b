"""Greedy, beam and exhaustive search on tables, against each other and by hand."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.errors import InputError
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.exhaustive import decode_exhaustive, every_sequence
from corollary.theory.sequences.decoding.greedy import decode_greedy
from corollary.theory.sequences.decoding.next_token import (
    Decoded,
    TokenTable,
    sequence_log_probability,
)

NOTES = TokenTable(
    {"A": 0.40, "B": 0.35, "C": 0.25}, {"A": {"A1": 0.50, "A2": 0.20}, "B": {"B1": 0.80}}
)


def chain(K: int, seed: int):
    """A random Markov chain that starts anywhere."""
    rng = torch.Generator().manual_seed(seed)
    log_p = torch.randn(K + 1, K, generator=rng, dtype=torch.float64).mul(2).log_softmax(dim=1)
    return lambda prefix: log_p[prefix[:, -1] if prefix.shape[1] else [K] * len(prefix)]


def listing(initial, expansions, beam_width, steps):
    """The search of the notes: only what was just extended stays, in raw probabilities."""
    best = sorted(([[t], p] for t, p in initial.items()), key=lambda h: -h[1])[:beam_width]
    for _ in range(1, steps):
        longer = [
            [seq + [t], p * q] for seq, p in best for t, q in expansions.get(seq[-1], {}).items()
        ]
        best = sorted(longer, key=lambda h: -h[1])[:beam_width]
    return best


def words(found: Decoded) -> tuple[str, ...]:
    return NOTES.words(found.tokens)


def test_greedy_takes_the_first_best_token_in_the_example_of_the_notes():
    (found,) = decode_greedy(NOTES, 2)
    assert words(found) == ("A", "A1") and found.probability == pytest.approx(0.2)


def test_a_beam_of_two_finds_the_best_of_the_example():
    found = beam_search(NOTES, 2, 2)
    assert [words(d) for d in found] == [("B", "B1"), ("A", "A1")]
    assert [d.probability for d in found] == pytest.approx([0.28, 0.20])
    assert decode_exhaustive(NOTES, 2).probability == pytest.approx(0.28)


@pytest.mark.parametrize("steps", [3, 4, 10])
def test_finished_sequences_stay_where_the_listing_of_the_notes_loses_them(steps):
    initial = {"A": 0.40, "B": 0.35, "C": 0.25}
    expansions = {"A": {"A1": 0.50, "A2": 0.20}, "B": {"B1": 0.80}}
    printed = listing(initial, expansions, 2, 2)
    assert [seq for seq, _ in printed] == [["B", "B1"], ["A", "A1"]]  # right for two steps
    empty = listing(initial, expansions, 2, steps)
    assert empty == []
    with pytest.raises(IndexError):
        empty[0]
    found = beam_search(NOTES, 2, steps)
    assert [words(d) for d in found] == [("B", "B1"), ("A", "A1")]
    assert all(d.finished for d in found)


@settings(max_examples=30, deadline=None)
@given(K=st.integers(2, 4), N=st.integers(1, 4), seed=st.integers(0, 999), eos=st.booleans())
def test_width_one_is_greedy_and_a_wide_beam_is_exhaustive(K, N, seed, eos):
    model, end = chain(K, seed), 0 if eos else None
    (greedy,) = decode_greedy(model, N, eos=end)
    assert beam_search(model, 1, N, eos=end)[0].tokens == greedy.tokens
    best = decode_exhaustive(model, N, eos=end)
    wide = beam_search(model, K ** (N - 1), N, eos=end)[0]
    assert wide.tokens == best.tokens
    assert wide.log_probability == pytest.approx(best.log_probability)
    assert greedy.log_probability <= best.log_probability + 1e-12


@settings(max_examples=20, deadline=None)
@given(K=st.integers(2, 4), N=st.integers(1, 4), seed=st.integers(0, 999), eos=st.booleans())
def test_the_probabilities_of_all_sequences_sum_to_one(K, N, seed, eos):
    model = chain(K, seed)
    found = every_sequence(model, N, eos=0 if eos else None)
    assert sum(d.probability for d in found) == pytest.approx(1.0)
    if not eos:
        assert {d.tokens for d in found} == set(itertools.product(range(K), repeat=N))
    worst = max(found, key=lambda d: abs(d.log_probability))
    assert sequence_log_probability(model, worst.tokens) == pytest.approx(worst.log_probability)


@settings(max_examples=30, deadline=None)
@given(K=st.integers(2, 5), width=st.integers(1, 6), seed=st.integers(0, 999))
def test_no_beam_beats_the_oracle_and_over_two_steps_none_is_worse_than_greedy(K, width, seed):
    model = chain(K, seed)
    beam = beam_search(model, width, 2)[0].log_probability
    assert beam <= decode_exhaustive(model, 2).log_probability + 1e-12
    assert beam >= decode_greedy(model, 2)[0].log_probability - 1e-12


def test_over_three_steps_a_beam_can_be_worse_than_greedy():
    """A, A1, A11 has 0.4 x 0.4 = 0.16; both halves of B push it out, then crumble to 0.0175."""
    crumbs = {f"c{k}": 0.1 for k in range(10)}
    table = TokenTable(
        {"A": 0.4, "B": 0.35, "C": 0.25},
        {
            "A": {"A1": 0.4, "A2": 0.3, "A3": 0.3},
            "A1": {"A11": 1.0},
            "B": {"B1": 0.5, "B2": 0.5},
            "B1": crumbs,
            "B2": crumbs,
            "C": crumbs,
        },
    )
    (greedy,) = decode_greedy(table, 3)
    assert greedy.probability == pytest.approx(0.16)
    assert beam_search(table, 2, 3)[0].probability == pytest.approx(0.0175)
    assert beam_search(table, 3, 3)[0].probability == pytest.approx(0.16)


def test_a_thousand_steps_do_not_underflow():
    table = TokenTable({"a": 0.4, "b": 0.3}, {"a": {"a": 0.4, "b": 0.3}, "b": {"a": 0.4}})
    found = beam_search(table, 3, 1000)[0]
    assert len(found.tokens) == 1000
    assert found.log_probability == pytest.approx(1000 * math.log(0.4))
    assert 0.4**1000 == 0.0  # what the listing would compare
    assert listing({"a": 0.4}, {"a": {"a": 0.4}}, 3, 1000)[0][1] == 0.0


def test_length_normalisation_prefers_the_longer_of_two():
    """(x) has 0.5; (y, z) has 0.45, and 0.67 a token."""
    table = TokenTable({"x": 0.5, "y": 0.5}, {"y": {"z": 0.9}})
    assert table.words(beam_search(table, 2, 3)[0].tokens) == ("x",)
    assert table.words(beam_search(table, 2, 3, alpha=1.0)[0].tokens) == ("y", "z")


def test_a_finished_sequence_is_not_pushed_out_by_prefixes_that_come_to_nothing():
    table = TokenTable(
        {"end": 0.3, "x": 0.36, "y": 0.34},
        {"x": {"x1": 0.99}, "y": {"y1": 0.99}, "x1": {"x2": 0.1}, "y1": {"y2": 0.1}},
    )
    best = beam_search(table, 3, 3, eos=table.tokens.index("end"))[0]
    assert table.words(best.tokens) == ("end",) and best.finished


def test_greedy_works_on_a_batch_of_prefixes_and_stops_each_at_its_end():
    table = TokenTable({"a": 1.0}, {"a": {"b": 1.0}, "b": {"end": 0.75, "a": 0.25}})
    a, b, end = (table.tokens.index(t) for t in ("a", "b", "end"))
    found = decode_greedy(table, 5, eos=end, start=torch.tensor([[a], [b]]))
    assert [d.tokens for d in found] == [(b, end), (end,)]
    assert [d.probability for d in found] == pytest.approx([0.75, 0.75])
    assert all(d.finished for d in found)
    cut = decode_greedy(table, 1, eos=end, start=torch.tensor([[a], [b]]))
    assert [d.finished for d in cut] == [False, True]


def test_where_nothing_can_follow_the_answer_is_the_empty_sequence():
    nothing = TokenTable({"a": 0.0}, {})
    for found in (
        decode_exhaustive(nothing, 2),
        beam_search(nothing, 2, 2)[0],
        decode_greedy(nothing, 2)[0],
    ):
        assert found == Decoded((), 0.0, True)


def test_what_cannot_be_searched_is_refused():
    with pytest.raises(InputError, match="width >= 1"):
        beam_search(NOTES, 0, 2)
    with pytest.raises(InputError, match="max_len >= 0"):
        decode_greedy(NOTES, -1)
    with pytest.raises(InputError, match="above the limit 100"):
        decode_exhaustive(chain(5, 0), 4, limit=100)
    with pytest.raises(InputError, match="sum to at most 1"):
        TokenTable({"a": 0.9, "b": 0.9}, {})
