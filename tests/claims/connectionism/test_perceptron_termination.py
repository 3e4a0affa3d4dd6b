import torch

from corollary.claims.connectionism.perceptron_termination import Given, PerceptronTermination
from corollary.core import Verdict


def test_it_stops_on_two_points_and_not_on_a_point_with_both_labels():
    x = torch.ones(2, 1, dtype=torch.float64)
    sets = [(x, torch.tensor([1.0, 1.0]).double()), (x, torch.tensor([1.0, -1.0]).double())]
    result = PerceptronTermination().check_given(Given(sets, 50))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (1.0, 0.0)


def test_with_too_few_updates_the_claim_does_not_apply():
    e = torch.eye(9, dtype=torch.float64)
    result = PerceptronTermination().check_given(Given([(e, e.new_ones(9))], 5))
    assert result.verdict is Verdict.INAPPLICABLE
