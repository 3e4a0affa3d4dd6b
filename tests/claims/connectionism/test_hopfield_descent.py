import torch

from corollary.claims.connectionism.hopfield_descent import Given, HopfieldDescent
from corollary.core import Verdict


def pair(w01, w10):
    W = torch.tensor([[0.0, w01], [w10, 0.0]], dtype=torch.float64)
    x = torch.tensor([1.0, -1.0], dtype=torch.float64)
    return Given(W, torch.zeros(2, dtype=torch.float64), x, torch.arange(2).repeat(5, 1))


def test_two_neurons_that_attract_align_in_one_flip():
    result = HopfieldDescent().check_given(pair(1.0, 1.0))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == [1.0, -1.0, 0.0]  # two energies, none unstable


def test_without_symmetry_the_claim_does_not_apply():
    assert HopfieldDescent().check_given(pair(1.0, -1.0)).verdict is Verdict.INAPPLICABLE


def test_a_start_at_rest_is_no_exception():
    given = pair(1.0, 1.0)
    assert HopfieldDescent().check_given(given._replace(x=-(given.x**2))).verdict is Verdict.HOLDS
