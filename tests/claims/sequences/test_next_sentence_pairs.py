from corollary.claims.sequences.next_sentence_pairs import counted
from corollary.data.sentence_pairs import Pair


def test_a_wrong_label_is_counted():
    pairs = [Pair(1, 2, True), Pair(1, 3, False), Pair(2, 3, False)]  # 3 does follow 2
    positives, wrong = counted([[1, 2, 3]], pairs)
    assert (positives.hits, positives.trials) == (1, 3)
    assert (wrong.hits, wrong.trials) == (1, 2)
