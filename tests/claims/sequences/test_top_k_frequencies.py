import pytest
import torch

from corollary.claims.sequences.top_k_frequencies import Given, TopKFrequencies
from corollary.core import Verdict, generator


def test_the_head_of_a_distribution_by_hand():
    """0.5 and 0.25 of (0.5, 0.25, 0.15, 0.1) become 2/3 and 1/3."""
    logits = torch.tensor([0.5, 0.25, 0.15, 0.1], dtype=torch.float64).log()
    claim, given = TopKFrequencies(k=2), Given(logits, 2)
    assert claim.predict(given).tolist() == pytest.approx([2 / 3, 1 / 3, 0.0, 0.0])
    assert claim.check_given(given).verdict is Verdict.HOLDS
    assert [c.hits for c in claim.measure(given, generator(0))][2:] == [0, 0]


@pytest.mark.parametrize(("K", "k"), [(5, 1), (5, 5), (30, 3)])
def test_it_holds_for_other_sizes(K, k):
    assert TopKFrequencies(K=K, k=k).check(1).verdict is Verdict.HOLDS
