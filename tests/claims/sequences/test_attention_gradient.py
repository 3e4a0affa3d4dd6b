import pytest
import torch

from corollary.claims.sequences.attention_gradient import AttentionGradient, Given
from corollary.core import Verdict


def test_two_positions_on_a_line_by_hand():
    """The first row weighs 1 and 0 with e to 1, the second both alike."""
    X = torch.tensor([[1.0], [0.0]], dtype=torch.float64)
    result = AttentionGradient().check_given(Given(X, X))
    e = torch.e
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([e / (e + 1), 0.5])


@pytest.mark.parametrize("d", [1, 9])
def test_it_holds_in_other_dimensions(d):
    assert AttentionGradient(d=d, T=5).check(1).verdict is Verdict.HOLDS
