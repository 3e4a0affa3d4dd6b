import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from corollary.errors import InputError
from corollary.theory.sequences.decoding.next_token import TokenTable, decode_stepwise
from corollary.theory.sequences.decoding.sampling import (
    nucleus,
    sample,
    sample_top_k,
    sample_top_p,
    top_k,
)


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def logits(K: int, seed: int = 0, size: float = 2.0) -> torch.Tensor:
    return size * torch.randn(K, generator=rng(seed), dtype=torch.float64)


def frequencies(draws: torch.Tensor, K: int) -> torch.Tensor:
    return torch.bincount(draws, minlength=K).double()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("k", [2, 4, 8])
def test_top_k_draws_from_exactly_k_tokens_in_renormalised_proportions(k, temperature):
    z = logits(8, size=0.7)
    draws = sample_top_k(z.expand(20_000, 8), k, temperature=temperature, rng=rng())
    count = frequencies(draws, 8)
    best = z.argsort(descending=True)[:k]
    p = (z[best] / temperature).softmax(dim=0)
    assert int((count > 0).sum()) == k
    assert chisquare(count[best], 20_000 * p).pvalue > 1e-3


def test_k_of_one_is_greedy_and_k_of_all_is_plain_sampling():
    z = logits(50).reshape(5, 10)
    assert torch.equal(sample_top_k(z, 1, rng=rng()), z.argmax(dim=1))
    assert torch.equal(sample_top_k(z, 10, rng=rng(7)), sample(z, rng=rng(7)))


def test_ties_are_broken_by_the_order_of_the_tokens():
    z = torch.tensor([1.0, 2.0, 2.0, 2.0, 0.0])
    assert top_k(z, 2).tolist() == [False, True, True, False, False]
    assert nucleus(torch.zeros(4), 0.5).tolist() == [True, True, False, False]


@pytest.mark.parametrize("k", [0, -1, 9])
def test_k_out_of_range_is_refused(k):
    with pytest.raises(InputError, match="between 1 and the 8 tokens"):
        sample_top_k(logits(8), k, rng=rng())


@settings(max_examples=60, deadline=None)
@given(K=st.integers(1, 12), seed=st.integers(0, 999), p=st.floats(0.01, 0.999))
def test_the_nucleus_reaches_p_and_not_without_its_least_token(K, seed, p):
    z = logits(K, seed)
    probability, kept = z.softmax(dim=0), nucleus(z, p)
    mass = float(probability[kept].sum())
    assert mass >= p - 1e-12
    assert mass - float(probability[kept].min()) < p + 1e-12
    if bool((~kept).any()):
        assert probability[kept].min() >= probability[~kept].max()


def test_p_of_one_keeps_all_and_a_tiny_p_is_greedy():
    z = torch.tensor([[0.0, 50.0, -700.0], [3.0, 1.0, 2.0]], dtype=torch.float64)
    assert bool(nucleus(z, 1.0).all())
    assert torch.equal(sample_top_p(z, 1e-9, rng=rng()), z.argmax(dim=1))


def test_the_nucleus_follows_the_temperature():
    """At temperature 1 one token has 0.9 of the mass; at 100 all are nearly alike."""
    z = torch.tensor([3.0, 0.5, 0.0, 0.0], dtype=torch.float64)
    one = sample_top_p(z.expand(2000, 4), 0.8, rng=rng())
    hot = sample_top_p(z.expand(2000, 4), 0.8, temperature=100.0, rng=rng())
    assert set(one.tolist()) == {0} and set(hot.tolist()) == {0, 1, 2, 3}


def test_the_nucleus_grows_with_the_entropy_and_top_k_does_not():
    sizes = [int(nucleus(logits(100) / t, 0.9).sum()) for t in (0.25, 0.5, 1.0, 2.0, 4.0)]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1] / 5
    assert [int(top_k(logits(100) / t, 10).sum()) for t in (0.25, 1.0, 4.0)] == [10] * 3


def test_sampled_frequencies_match_the_nucleus():
    z = logits(8, size=1.0)
    kept = nucleus(z, 0.7)
    count = frequencies(sample_top_p(z.expand(20_000, 8), 0.7, rng=rng()), 8)
    assert torch.equal(count > 0, kept)
    assert chisquare(count[kept], 20_000 * z[kept].softmax(dim=0)).pvalue > 1e-3


@pytest.mark.parametrize("p", [0.0, 1.5, -0.1])
def test_p_out_of_range_is_refused(p):
    with pytest.raises(InputError, match=r"p must lie in \(0, 1\]"):
        sample_top_p(logits(8), p, rng=rng())


def test_a_temperature_that_is_not_positive_is_refused():
    for draw in (
        lambda: sample(logits(8), temperature=0.0, rng=rng()),
        lambda: sample_top_p(logits(8), 0.5, temperature=-1.0, rng=rng()),
    ):
        with pytest.raises(InputError, match="temperature must be positive"):
            draw()


def test_a_sampler_decodes_step_by_step_with_the_frequencies_of_the_table():
    table = TokenTable({"a": 0.75, "b": 0.25}, {"a": {"a": 0.5, "b": 0.5}})
    start = torch.empty(4000, 0, dtype=torch.int64)
    generator = rng()
    found = decode_stepwise(table, lambda z: sample(z, rng=generator), 2, start=start)
    share = sum(table.words(d.tokens) == ("a", "b") for d in found) / 4000
    assert share == pytest.approx(0.375, abs=0.03)
    assert all(d.finished for d in found if table.words(d.tokens) == ("b",))
