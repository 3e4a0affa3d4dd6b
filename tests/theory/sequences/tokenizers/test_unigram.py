import math
from collections import Counter
from itertools import combinations

import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.sequences.tokenizers.lattice import (
    best_cut,
    drawn_cut,
    expected_pieces,
    expected_shares,
    forward,
)
from corollary.theory.sequences.tokenizers.pipeline import Vocabulary
from corollary.theory.sequences.tokenizers.unigram import (
    UnigramTokenizer,
    em_step,
    pruned,
    seed_pieces,
)

WORDS = Counter({"banana": 5, "bandana": 3, "ananas": 4, "band": 2, "nab": 1, "cab": 2})
CORPUS = " ".join(w for w, n in WORDS.items() for _ in range(n))


def every_cut(text: str) -> list[list[str]]:
    """All 2^(n-1) segmentations."""
    places = range(1, len(text))
    inner = [c for k in range(len(text)) for c in combinations(places, k)]
    bounds = [(0, *c, len(text)) for c in inner]
    return [[text[a:b] for a, b in zip(c, c[1:], strict=False)] for c in bounds]


def weighed(text, scores):
    cuts = [c for c in every_cut(text) if all(u in scores for u in c)]
    return cuts, torch.tensor([sum(scores[u] for u in c) for c in cuts], dtype=torch.float64)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("word", ["banana", "bandana", "abracadab"])
def test_viterbi_sums_and_expectations_are_those_over_all_cuts(word, seed):
    r = generator(seed, word)
    pieces = sorted({u for c in every_cut(word) for u in c if len(u) <= 4})
    log_p = torch.randn(len(pieces), generator=r, dtype=torch.float64).sub(3).tolist()
    scores = dict(zip(pieces, log_p, strict=True))
    cuts, weights = weighed(word, scores)
    pieces, value = best_cut(word, scores, 4)
    assert value == pytest.approx(float(weights.max()), rel=1e-12)
    assert pieces == cuts[int(weights.argmax())]
    assert forward(word, scores, 4)[-1] == pytest.approx(float(weights.logsumexp(0)), rel=1e-12)
    shares, expected = weights.softmax(0), Counter()
    for cut, share in zip(cuts, shares.tolist(), strict=True):
        for u in cut:
            expected[u] += share
    assert expected_pieces(word, scores, 4)[0] == pytest.approx(dict(expected), rel=1e-9)
    p = {u: math.exp(s) for u, s in scores.items()}
    shares, total = expected_shares(word, p, 4)
    assert shares == pytest.approx(dict(expected), rel=1e-9)
    assert total == pytest.approx(float(weights.logsumexp(0)), rel=1e-12)


def test_words_whose_weights_underflow_are_summed_by_logarithms():
    scores = {"a": math.log(1e-3), "aa": math.log(1e-6), "b": math.log(0.9)}
    p = {u: math.exp(s) for u, s in scores.items()}
    assert expected_shares("a" * 200, p, 2) is None
    step = em_step({"a" * 200: 1, "b": 2}, scores)
    pieces, total = expected_pieces("a" * 200, scores, 2)
    assert step.likelihood == pytest.approx(total + 2 * math.log(0.9), rel=1e-12)
    assert sum(len(u) * c for u, c in pieces.items()) == pytest.approx(200, rel=1e-9)


def test_the_likelihood_never_falls():
    scores, last = seed_pieces(WORDS, 50, 6), -math.inf
    for _ in range(12):
        step = em_step(WORDS, scores)
        assert step.likelihood >= last - 1e-12 * abs(last)
        scores, last = step.scores, step.likelihood


def test_single_characters_are_always_kept():
    scores = pruned(WORDS, em_step(WORDS, seed_pieces(WORDS, 50, 6)).scores, 8)
    assert {u for u in scores if len(u) == 1} == set("".join(WORDS))
    assert sum(map(math.exp, scores.values())) == pytest.approx(1)
    tokenizer = UnigramTokenizer.train(CORPUS, 8)
    assert set(tokenizer.vocabulary.tokens) >= set("".join(WORDS))
    assert len(tokenizer.vocabulary) <= 9


def test_pruning_keeps_the_piece_that_is_worth_most():
    scores = {"a": math.log(0.1), "b": math.log(0.1), "ab": math.log(0.5), "ba": math.log(0.3)}
    assert set(pruned({"ab": 10, "ba": 1}, scores, 3)) == {"a", "b", "ab"}


def test_it_encodes_as_the_tokenizers_library_does():
    hf = pytest.importorskip("tokenizers")
    ours = UnigramTokenizer.train(CORPUS, 20)
    table = [("[UNK]", 0.0), *zip(ours.vocabulary.tokens[1:], ours.scores, strict=True)]
    peer = hf.Tokenizer(hf.models.Unigram(table, unk_id=0))
    peer.pre_tokenizer = hf.pre_tokenizers.Split(" ", "merged_with_next")
    for text in (CORPUS, "banana cabs sand", "nnaabb scan"):
        assert peer.encode(text).tokens == ours.tokens(text)


def test_drawn_cuts_have_the_frequencies_of_their_weights():
    scores = {"a": math.log(0.5), "aa": math.log(0.25), "aaa": math.log(0.25)}
    rng, trials = generator(0, "cuts"), 4000
    drawn = Counter(" ".join(drawn_cut("aaa", scores, 3, rng=rng)) for _ in range(trials))
    cuts, weights = weighed("aaa", scores)
    for cut, share in zip(cuts, weights.softmax(0).tolist(), strict=True):
        sigma = (share * (1 - share) / trials) ** 0.5
        assert abs(drawn[" ".join(cut)] / trials - share) < 4.5 * sigma


def test_sampled_ids_read_back_as_the_text_and_a_large_alpha_gives_the_best():
    tokenizer, rng = UnigramTokenizer.train(CORPUS, 20), generator(0, "sample")
    many = {tuple(tokenizer.sample("banana band", rng=rng, alpha=0.1)) for _ in range(20)}
    assert len(many) > 3 and {tokenizer.decode(ids) for ids in many} == {"banana band"}
    assert tokenizer.sample("banana", rng=rng, alpha=500.0) == tokenizer.encode("banana")


def test_words_that_the_pieces_cannot_build_are_named():
    with pytest.raises(InputError, match="'abc'"):
        em_step({"abc": 1}, {"a": -1.0})
    with pytest.raises(InputError, match="scores go with"):
        UnigramTokenizer(Vocabulary(("[UNK]", "a")), scores=())
    with pytest.raises(InputError, match="keep=2"):
        UnigramTokenizer.train("abc", 10, keep=2.0)
