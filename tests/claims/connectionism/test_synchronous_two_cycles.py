import pytest
import torch

from corollary.claims.connectionism.synchronous_two_cycles import Given, SynchronousTwoCycles
from corollary.core import Verdict


def ring(n):
    """Signs handed on, one inverted: period 2n."""
    W = torch.eye(n, dtype=torch.float64).roll(1, dims=0)
    W[0] = -W[0]
    one = torch.ones(1, n, dtype=torch.float64)
    return Given(W, torch.zeros(n, dtype=torch.float64), one)


@pytest.mark.parametrize("n", [3, 5, 8])
def test_the_inverting_ring_takes_twice_its_length(n):
    assert SynchronousTwoCycles().trial(ring(n)).measured == 2 * n
    assert SynchronousTwoCycles().check_given(ring(n)).verdict is Verdict.INAPPLICABLE


def test_two_copying_neurons_attain_the_bound():
    W = torch.tensor([[0.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    X = torch.tensor([[1.0, -1.0]], dtype=torch.float64)
    result = SynchronousTwoCycles().check_given(Given(W, torch.zeros(2).double(), X))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == 2
