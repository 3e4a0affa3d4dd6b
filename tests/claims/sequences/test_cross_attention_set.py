import pytest
import torch

from corollary.claims.sequences.cross_attention_set import CrossAttentionSet, Given
from corollary.core import Verdict


def two_memories(value_order: list[int]) -> Given:
    """One query that answers the first key by e^2 to 1."""
    Q, K = torch.tensor([[2.0]]).double(), torch.tensor([[1.0], [0.0]]).double()
    V = torch.tensor([[10.0], [20.0]]).double()
    swap = torch.tensor([1, 0])
    return Given(Q, K, V, torch.tensor([0]), swap, torch.tensor(value_order))


def test_a_swapped_memory_by_hand():
    result = CrossAttentionSet().check_given(two_memories([1, 0]))
    e2 = torch.exp(torch.tensor(2.0, dtype=torch.float64)).item()
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx((10 * e2 + 20) / (e2 + 1))


def test_keys_without_their_values_read_something_else():
    given = two_memories([0, 1])
    claim = CrossAttentionSet()
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert float(claim.measure(given)[0]) == pytest.approx(30 - float(claim.predict(given)[0]))
