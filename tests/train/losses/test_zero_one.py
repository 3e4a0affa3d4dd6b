import pytest
import sklearn.metrics
import torch

from corollary.errors import InputError
from corollary.train.losses import error_rate, zero_one
from corollary.train.losses.zero_one import hinge_surrogate, log_surrogate, zero_one_of_margin

M = torch.linspace(-5, 5, 1001, dtype=torch.float64)


def test_the_mean_is_the_error_rate_of_sklearn():
    guess, y = torch.arange(12) % 3, torch.arange(12) % 4
    expected = sklearn.metrics.zero_one_loss(y.numpy(), guess.numpy())
    assert zero_one(guess, y).item() == pytest.approx(expected)
    outputs = torch.nn.functional.one_hot(guess, 4).double()
    assert error_rate(outputs, y).item() == pytest.approx(expected)


@pytest.mark.parametrize("surrogate", [log_surrogate, hinge_surrogate])
def test_the_surrogates_lie_above_it_and_are_convex(surrogate):
    assert bool((surrogate(M) >= zero_one_of_margin(M)).all())
    assert surrogate(M).diff().diff().min() > -1e-12


def test_the_natural_logarithm_and_a_margin_below_one_do_not_bound_it():
    zero = torch.zeros(1, dtype=torch.float64)
    assert log_surrogate(zero, base=2.718281828459045).item() == pytest.approx(0.693, abs=1e-3)
    assert hinge_surrogate(zero, margin=0.5) == 0.5 < zero_one_of_margin(zero)


def test_its_gradient_is_zero_so_that_descent_goes_nowhere():
    values = zero_one_of_margin(M)
    assert int((values.diff() != 0).sum()) == 1


def test_outputs_in_place_of_labels_are_refused():
    with pytest.raises(InputError, match=r"call outputs.argmax\(1\) first"):
        zero_one(torch.zeros(3, 2), torch.zeros(3))
    with pytest.raises(InputError, match="same length >= 1"):
        zero_one(torch.zeros(0), torch.zeros(0))
