import pytest
import torch

from corollary.claims.sequences.dot_product_variance import DotProductVariance, Given
from corollary.core import Verdict


def test_all_signs_in_one_dimension_have_variance_one():
    q = torch.tensor([[1.0], [1.0], [-1.0], [-1.0]]).double().repeat(100, 1)
    k = torch.tensor([[1.0], [-1.0], [1.0], [-1.0]]).double().repeat(100, 1)
    claim = DotProductVariance()
    assert all(h.holds for h in claim.hypotheses(Given((q,), (k,))))
    assert set(claim.measure(Given((q,), (k,)))[0].values) == {1.0}


@pytest.mark.parametrize("law", ["normal", "sign", "uniform"])
def test_the_law_of_the_entries_does_not_matter(law):
    assert DotProductVariance(law=law, dims=(8, 32)).check(1).verdict is Verdict.HOLDS
