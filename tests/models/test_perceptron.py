import math

import pytest
import torch

from corollary.core import generator
from corollary.data.separable import separable_cloud
from corollary.data.xor import xor
from corollary.errors import InputError
from corollary.models.perceptron import Perceptron

BITS = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)


def unit(w, b=0.0):
    made = Perceptron(len(w))
    made.w.data.copy_(torch.tensor(w))
    made.b.data.fill_(b)
    return made


def test_points_on_the_hyperplane_give_zero():
    # 3 x + 4 y - 5 = 0 holds exactly for these in binary arithmetic
    on = torch.tensor([[-1.0, 2.0], [3.0, -1.0], [0.0, 1.25]], dtype=torch.float64)
    made = unit([3.0, 4.0], -5.0)
    assert made(on).tolist() == [0.0, 0.0, 0.0]
    assert made(on + 1).tolist() == [1.0, 1.0, 1.0]
    assert made(on - 1).tolist() == [-1.0, -1.0, -1.0]


def test_the_zero_weights_are_wrong_about_every_point():
    y = torch.tensor([1.0, -1, 1, -1], dtype=torch.float64)
    assert not (Perceptron(2)(BITS) == y).any()


def test_the_offset_is_the_distance_to_the_projected_origin():
    made = unit([3.0, 4.0], -5.0)
    assert made.normal().tolist() == pytest.approx([0.6, 0.8])
    assert made.offset() == pytest.approx(1.0)
    foot = made.offset() * made.normal()
    assert made.decision_function(foot).item() == pytest.approx(0, abs=1e-12)
    assert foot.norm().item() == pytest.approx(abs(made.offset()))


def test_zero_weights_have_no_normal_and_no_offset():
    with pytest.raises(InputError, match="no decision boundary"):
        Perceptron(3).normal()
    with pytest.raises(InputError, match="no decision boundary"):
        Perceptron(3).offset()
    with pytest.raises(InputError, match="d >= 1"):
        Perceptron(0)


@pytest.mark.parametrize("labels", [(-1, -1, -1, 1), (-1, 1, 1, 1)])
def test_and_and_or_are_learned(labels):
    y = torch.tensor(labels).double()
    made = Perceptron(2)
    assert made.fit(BITS, y).converged
    assert torch.equal(made(BITS), y)


def test_xor_is_reported_as_not_learned():
    x, y = xor()
    made = Perceptron(2)
    fit = made.fit(x, y, max_epochs=50)
    assert (fit.converged, fit.epochs) == (False, 50)
    made.w.data.fill_(1)  # whatever the weights, one of the four is wrong
    found = made.certificate(x, y)
    assert not found.separates
    assert found.bound == math.inf


@pytest.mark.parametrize("bias", [True, False])
def test_the_mistakes_are_within_the_certified_bound(bias):
    x, y, _ = separable_cloud(100, 5, 0.1, rng=generator(0, "model"))
    made = Perceptron(5, bias=bias)
    fit = made.fit(x, y)
    found = made.certificate(x, y)
    assert fit.converged and found.separates
    assert 0 < fit.updates == found.mistakes <= found.bound


def test_the_weights_survive_a_state_dict_and_a_change_of_precision():
    x, y, _ = separable_cloud(30, 3, 0.2, rng=generator(1, "model"))
    made = Perceptron(3)
    made.fit(x, y)
    other = Perceptron(3)
    other.load_state_dict(made.state_dict())
    assert torch.equal(other(x), made(x))
    assert Perceptron(3, dtype=torch.float32)(x.float()).dtype == torch.float32


def test_the_sign_gives_no_gradient():
    made = unit([1.0, 2.0], 0.5)
    made(BITS).sum().backward()
    assert made.w.grad.eq(0).all()


def test_the_rule_with_targets_zero_and_one_makes_the_same_steps():
    """Rosenblatt's w += (t - H(w x + b)) x, from a start where no score is zero."""
    x, y, _ = separable_cloud(40, 3, 0.1, rng=generator(2, "model"))
    w, v = (torch.full((3,), 0.01, dtype=torch.float64) for _ in range(2))
    for point, label in zip(x, y, strict=True):
        target = (label + 1) / 2
        w = w + (target - (w @ point >= 0).double()) * point
        v = v + (label * point if torch.sign(v @ point) != label else 0)
        assert torch.equal(w, v)
