import pytest
import torch

from corollary.claims.sequences.nucleus_smallest import Given, NucleusSmallest
from corollary.core import Verdict
from corollary.theory.sequences.decoding.sampling import nucleus

P = torch.tensor([[0.1, 0.5, 0.25, 0.15]], dtype=torch.float64)


@pytest.mark.parametrize(("p", "size"), [(0.3, 1), (0.5, 1), (0.51, 2), (0.76, 3), (0.95, 4)])
def test_a_distribution_by_hand(p, size):
    result = NucleusSmallest().check_given(Given(P.log(), p, nucleus(P.log(), p)))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == result.predicted[0] == size


def test_taking_tokens_in_the_order_of_the_vocabulary_keeps_more():
    given = Given(P.log(), 0.5, torch.tensor([[True, True, False, False]]))
    claim = NucleusSmallest()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert (float(claim.predict(given)), float(claim.measure(given))) == (1.0, 2.0)


def test_too_little_mass_is_noticed():
    given = Given(P.log(), 0.9, torch.tensor([[False, True, False, False]]))
    broken = [h.statement for h in NucleusSmallest().hypotheses(given) if not h.holds]
    assert broken == ["the kept mass reaches p"]
