import pytest
import torch
from torch import nn
from torch.nn.functional import mse_loss

from corollary.data.augmentation import augmented, flips
from corollary.errors import InputError
from corollary.train import Augmented, LabelNoise, fit

G = torch.Generator().manual_seed(0)
X = torch.randn(40, 1, 2, 2, generator=G, dtype=torch.float64)
Y = torch.randn(40, 1, generator=G, dtype=torch.float64)


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(4, 1)).double()


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.05)


def test_each_row_goes_through_the_transformation_drawn_for_it():
    drawn = torch.tensor([3, 0, 2, 1, 0])
    out = Augmented(flips()).transformed(X[:5], drawn)
    for row, k in enumerate(drawn.tolist()):
        assert torch.equal(out[row], flips()[k](X[row]))


def test_the_mean_over_the_draws_is_the_loss_of_the_augmented_data():
    net, call = network(), Augmented(flips())
    with torch.no_grad():
        full_x, full_y = augmented(X, Y, flips())
        full = float(mse_loss(net(full_x), full_y))
        drawn = torch.stack([call(net, mse_loss, X, Y) for _ in range(2000)])
    error = float(drawn.std()) / 2000**0.5
    assert abs(float(drawn.mean()) - full) < 5 * error


def test_a_run_is_a_function_of_its_seed():
    ends = []
    for seed in (1, 1, 2):
        net = network()
        fit(net, (X, Y), mse_loss, sgd, steps=20, rng=seed, call=Augmented(flips()))
        ends.append(net[1].weight.detach().clone())
    assert torch.equal(ends[0], ends[1]) and not torch.equal(ends[0], ends[2])


def test_noise_on_real_targets_adds_its_variance_to_the_squared_loss():
    net, call = network(), LabelNoise(0.5)
    with torch.no_grad():
        drawn = torch.stack([call(net, mse_loss, X, Y) for _ in range(2000)])
        clean = float(mse_loss(net(X), Y))
    assert float(drawn.mean()) == pytest.approx(clean + 0.25, abs=0.02)


def test_class_numbers_and_empty_lists_are_refused():
    with pytest.raises(InputError, match="LabelSmoothing"):
        LabelNoise(0.1)(network(), mse_loss, X, torch.zeros(40, dtype=torch.int64))
    with pytest.raises(InputError, match="sigma"):
        LabelNoise(-1.0)
    with pytest.raises(InputError, match="at least one"):
        Augmented([])
