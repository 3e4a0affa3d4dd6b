from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from corollary.errors import NotFiniteError
from corollary.train import fit

SGD = partial(torch.optim.SGD, lr=0.1)


class Log(nn.Module):
    def forward(self, x):
        return torch.log(x)


class Root(nn.Module):
    """The square root of a square: at zero the value is fine and the gradient is not."""

    def forward(self, x):
        return torch.sqrt(x * x)


def data():
    x = torch.linspace(-1, 1, 8)[:, None]
    return x, x


def test_the_first_layer_with_a_bad_output_is_named_with_its_step():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, 4), Log(), nn.Linear(4, 1))
    with pytest.raises(NotFiniteError, match=r"the layer '1' \(Log\), at step 0; lower") as caught:
        fit(model, data(), F.mse_loss, SGD, steps=5)
    assert caught.value.history.steps == 0 and caught.value.history.diverged


def test_a_diverging_run_is_stopped_and_its_history_kept():
    model = nn.Sequential(nn.Linear(1, 16), nn.Linear(16, 1))
    before = torch.get_rng_state()
    history = fit(model, data(), F.mse_loss, partial(SGD, lr=1e3), steps=500, on_nan="stop")
    assert history.diverged and 1 < history.steps < 500
    assert all(torch.isfinite(torch.tensor(history.losses)))
    assert "not finite" in history.stopped and "step" in history.stopped
    assert torch.equal(torch.get_rng_state(), before)


def test_a_bad_gradient_is_named_with_the_step_that_had_it():
    model = nn.Sequential(nn.Linear(1, 3, bias=False), Root(), nn.Linear(3, 1))
    x = torch.tensor([[0.0], [1.0]])
    for count in (1, 5):  # seen at the next step, or at the end of the run
        for layer in model[0], model[2]:
            layer.reset_parameters()
        with pytest.raises(
            NotFiniteError, match="gradient of the parameter '0.weight' .* at step 0"
        ):
            fit(model, (x, x), F.mse_loss, SGD, steps=count)


def test_data_that_is_not_finite_is_told_from_a_bad_layer():
    x, y = data()
    x = x.clone()
    x[3] = torch.nan
    with pytest.raises(NotFiniteError, match="the batch of step 0 .* tensor 0"):
        fit(nn.Linear(1, 1), (x, y), F.mse_loss, SGD, steps=5)


def test_a_bad_loss_on_good_outputs_is_told_apart():
    with pytest.raises(NotFiniteError, match="the loss is not finite at step 0, although"):
        fit(nn.Linear(1, 1), data(), lambda o, t: (o.square() * 0 - 1).log().mean(), SGD, steps=5)


def test_parameters_that_come_in_bad_are_named():
    model = nn.Linear(1, 1)
    nn.init.constant_(model.bias, torch.inf)
    with pytest.raises(NotFiniteError, match="'bias' is not finite before the first step"):
        fit(model, data(), F.mse_loss, SGD, steps=5)


def test_looking_again_leaves_buffers_hooks_and_mode_as_they_were():
    model = nn.Sequential(nn.BatchNorm1d(1), nn.Linear(1, 1), Log()).eval()
    nn.init.ones_(model[1].weight)
    nn.init.zeros_(model[1].bias)  # a normalised batch has both signs, so some logarithm is NaN
    history = fit(model, data(), F.mse_loss, SGD, steps=5, on_nan="stop")
    assert "'2' (Log)" in history.stopped
    assert model[0].num_batches_tracked == 1  # the step itself, not the second look
    assert not any(m._forward_hooks for m in model.modules()) and not model.training


def test_with_dropout_the_second_look_sees_the_same_noise():
    class Picky(nn.Module):
        """Fails only if exactly the first unit survives."""

        def forward(self, x):
            return torch.where((x[:, :1] != 0) & (x[:, 1:] == 0).all(), torch.nan, 1.0) * x

    model = nn.Sequential(nn.Linear(1, 4), nn.Dropout(0.5), Picky(), nn.Linear(4, 1))
    nn.init.ones_(model[0].weight)
    x = torch.ones(1, 1)
    history = fit(model, (x, x), F.mse_loss, partial(SGD, lr=1e-6), steps=1000, on_nan="stop")
    assert history.diverged and "'2' (Picky)" in history.stopped


def test_pieces_of_a_batch_are_looked_at_in_their_order():
    x, y = data()
    x = x.clone() + 3
    x[-1] = -1.0
    with pytest.raises(NotFiniteError, match=r"'0' \(Log\)"):
        model = nn.Sequential(Log(), nn.Linear(1, 1))
        fit(model, (x, y), F.mse_loss, SGD, steps=2, accumulate=4)
