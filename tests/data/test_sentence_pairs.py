import pytest
from scipy.stats import binomtest

from corollary.core import generator
from corollary.data.sentence_pairs import nsp_pairs, successors
from corollary.data.small_language import documents
from corollary.errors import InputError

CORPUS = [list("abcab"), list("cdeca"), list("bdb")]


def test_half_of_the_pairs_follow():
    pairs = nsp_pairs(CORPUS, 4000, rng=generator(0))
    assert binomtest(sum(p.follows for p in pairs), 4000, 0.5).pvalue > 1e-4


def test_positives_are_successors_and_negatives_never():
    follow = successors(CORPUS)
    for pair in nsp_pairs(CORPUS, 1000, rng=generator(1)):
        assert ((pair.first, pair.second) in follow) is pair.follows


def test_without_looking_some_negatives_follow():
    follow = successors(CORPUS)
    pairs = nsp_pairs(CORPUS, 1000, exclude_successors=False, rng=generator(2))
    assert any((p.first, p.second) in follow for p in pairs if not p.follows)


def test_sentences_of_the_small_language_make_pairs():
    corpus = documents(20, 4, rng=generator(3))
    pairs = nsp_pairs(corpus, 50, rng=generator(4))
    assert all(p.first.words[-2] in p.second.words for p in pairs if p.follows)


def test_a_corpus_without_two_sentences_is_refused():
    with pytest.raises(InputError, match="two sentences"):
        nsp_pairs([["a"], ["b"]], 3, rng=generator(0))
    with pytest.raises(InputError, match="follows 'a'"):
        nsp_pairs([["a", "a"]], 3, share=0.0, rng=generator(0))
