import pytest
import torch

from corollary.claims.sequences.positional_distance import Given, PositionalDistance
from corollary.core import Verdict


def test_one_pair_at_frequency_one_by_hand():
    """sin 3 sin 1 + cos 3 cos 1 = cos 2."""
    one = torch.ones(1, dtype=torch.float64)
    result = PositionalDistance().check_given(Given(3 * one, one, one, one))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(-0.4161468365)


def test_the_squared_length_is_half_the_dimension():
    claim = PositionalDistance(pairs=8)
    given = claim.given(torch.Generator().manual_seed(0))
    assert claim.measure(given)[0] == pytest.approx(8.0)  # the first pair of times is equal
