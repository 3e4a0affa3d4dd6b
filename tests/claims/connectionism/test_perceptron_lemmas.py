import pytest
import torch

from corollary.claims.connectionism import perceptron_alignment, perceptron_norm
from corollary.claims.connectionism.perceptron_alignment import PerceptronAlignment
from corollary.claims.connectionism.perceptron_norm import PerceptronNorm
from corollary.core import Verdict


def test_one_repeated_point_makes_exactly_its_margin_of_progress():
    u = torch.tensor([0.6, 0.8], dtype=torch.float64)
    given = perceptron_alignment.Given(u.repeat(3, 1), torch.ones(3).double(), u, 1.0)
    result = PerceptronAlignment().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.ratio == pytest.approx(1.0)


def test_orthogonal_points_grow_by_exactly_the_squared_radius():
    e = torch.eye(5, dtype=torch.float64)
    given = perceptron_norm.Given(3 * e, e.new_ones(5), torch.arange(5), 0 * e[0])
    result = PerceptronNorm().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert (result.predicted[0], result.measured[0].value) == (9.0, 9.0)


def test_a_margin_that_is_not_there_is_noticed():
    u = torch.tensor([0.6, 0.8], dtype=torch.float64)
    given = perceptron_alignment.Given(u[None], torch.ones(1).double(), u, 1.5)
    assert PerceptronAlignment().check_given(given).verdict is Verdict.INAPPLICABLE


def test_updates_on_right_answers_are_noticed():
    e = torch.eye(2, dtype=torch.float64)
    given = perceptron_norm.Given(e, e.new_ones(2), torch.tensor([0, 0]), 0 * e[0])
    assert PerceptronNorm().check_given(given).verdict is Verdict.INAPPLICABLE
