import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.errors import InputError
from corollary.theory.prerequisites.cauchy_schwarz import cauchy_schwarz

vectors = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


@settings(max_examples=50, deadline=None)
@given(vectors, vectors)
def test_the_slack_is_never_negative(x, y):
    found = cauchy_schwarz(tensor(x), tensor(y))
    assert found.slack >= 0 and found.discriminant <= 0
    assert found.rhs - found.lhs == pytest.approx(found.slack, abs=1e-9 * found.rhs + 1e-300)


@pytest.mark.parametrize("tiny", [1.4825743862402794e-201, 5e-324])
def test_vectors_whose_squares_vanish_keep_their_length(tiny):
    found = cauchy_schwarz(tensor([1.0, 0.0, 0.0]), tensor([tiny, 0.0, 0.0]))
    assert found.lhs == found.rhs == tiny and found.slack == 0.0 and found.is_equality


@pytest.mark.parametrize("c", [-3.0, 1e-8, 1.0, 1e6])
def test_multiples_give_equality(c):
    x = tensor([1.0, -2.0, 0.3])
    found = cauchy_schwarz(x, c * x)
    assert found.is_equality and found.slack <= 1e-12 * found.rhs


def test_zero_is_linearly_dependent_with_everything():
    found = cauchy_schwarz(tensor([1.0, 2.0]), tensor([0.0, 0.0]))
    assert found.is_equality and found.slack == found.lhs == found.rhs == 0.0


@pytest.mark.parametrize("angle", [1e-6, 0.1, 1.0])
def test_equality_is_not_reported_for_independent_vectors(angle):
    turned = tensor([torch.cos(tensor(angle)).item(), torch.sin(tensor(angle)).item()])
    found = cauchy_schwarz(tensor([1.0, 0.0]), turned)
    assert not found.is_equality
    assert found.slack == pytest.approx(2 * torch.sin(tensor(angle / 2)).item() ** 2, rel=1e-6)


def test_the_factor_four_of_the_notes_is_not_needed():
    """(sum xy)² <= sum x² sum y²; with 4 on the right it is true too, and never tight."""
    x = tensor([3.0, 4.0])
    found = cauchy_schwarz(x, 2 * x)
    assert found.lhs**2 == found.rhs**2 < 4 * found.rhs**2


def test_bad_input_is_named():
    with pytest.raises(InputError, match="of one length"):
        cauchy_schwarz(tensor([1.0]), tensor([1.0, 2.0]))
    with pytest.raises(InputError, match="finite"):
        cauchy_schwarz(tensor([torch.nan]), tensor([1.0]))
