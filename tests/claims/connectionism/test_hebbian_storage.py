import pytest
import torch

from corollary.claims.connectionism.hebbian_storage import Given, HebbianStorage
from corollary.core import Verdict


def test_two_orthogonal_patterns_of_four_neurons_by_hand():
    x = torch.tensor([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]], dtype=torch.float64)
    result = HebbianStorage().check_given(Given(x))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == [0.5, 0.5, 1.0, -1.0, -1.0]


def test_patterns_that_overlap_are_outside_the_claim():
    x = torch.tensor([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, -1.0]], dtype=torch.float64)
    assert HebbianStorage().check_given(Given(x)).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize(("log_n", "share"), [(2, 0.01), (5, 0.5), (8, 0.99)])
def test_any_number_below_n_is_stored(log_n, share):
    claim = HebbianStorage(log_n=log_n, share=share)
    assert claim.check_given(claim.draw(1)).verdict is Verdict.HOLDS
