import pytest

from corollary.claims.sequences.next_sentence_pairs import Given, NextSentencePairs
from corollary.core import Verdict
from corollary.data.sentence_pairs import Pair


def test_a_wrong_label_is_counted():
    pairs = [Pair(1, 2, True), Pair(1, 3, False), Pair(2, 3, False)]  # 3 does follow 2
    positives, wrong = NextSentencePairs().measure(Given([[1, 2, 3]], pairs, True))
    assert (positives.hits, positives.trials) == (1, 3)
    assert (wrong.hits, wrong.trials) == (1, 2)


def test_negatives_drawn_without_looking_have_wrong_labels():
    refuted = NextSentencePairs(pairs=2000).refute(0)
    assert refuted.fails and len(refuted.broken) == 1


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_corpora(seed):
    assert NextSentencePairs(kinds=8).check(seed).verdict is Verdict.HOLDS
