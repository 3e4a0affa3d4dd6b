import pytest
import torch
from torch import nn

from corollary.errors import InputError, InputTypeError
from corollary.models.compose import Compose
from corollary.models.maxout import Maxout
from corollary.models.mlp import Dense
from corollary.train import fit


def test_the_composition_is_the_nesting_by_hand():
    f1, f2, f3 = nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2)
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    net = Compose([f1, f2, f3])
    assert torch.equal(net(x), f3(f2(f1(x))))
    assert torch.equal(net.representations(x)[2], f2(f1(x)))


def test_representations_have_the_declared_widths():
    rng = torch.Generator().manual_seed(0)
    net = Compose([Dense(3, 5, rng=rng), Maxout(5, 4, rng=rng), nn.ReLU(), Dense(4, 2, rng=rng)])
    assert net.widths == [3, 5, 4, 4, 2]
    shapes = [h.shape[1] for h in net.representations(torch.zeros(1, 3, dtype=torch.float64))]
    assert shapes == net.widths


def test_widths_that_do_not_fit_are_refused_before_training():
    with pytest.raises(
        InputError, match=r"layer 2 \(Linear\) expects 6 inputs, but .* has 5 outputs"
    ):
        Compose([nn.Linear(3, 5), nn.Tanh(), nn.Linear(6, 2)])


def test_a_layer_of_unknown_width_is_trusted():
    assert Compose([nn.Linear(3, 4), nn.Flatten(), nn.Linear(4, 1)]).widths == [3, 4, None, 1]


def test_training_lowers_the_loss_of_a_convex_problem_at_every_step():
    x = torch.randn(50, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    net = Compose([nn.Linear(3, 1, dtype=torch.float64)])
    y = x.sum(1, keepdim=True)
    sgd = lambda p: torch.optim.SGD(p, lr=0.1)  # noqa: E731 - the optimizer of one line
    losses = fit(net, (x, y), nn.functional.mse_loss, sgd, steps=100)["loss"]
    assert all(b < a for a, b in zip(losses, losses[1:], strict=False))
    assert losses[-1] < 1e-3 * losses[0]


def test_what_is_no_layer_is_refused():
    with pytest.raises(InputError, match="at least one layer"):
        Compose([])
    with pytest.raises(InputTypeError, match="layer 1 must be an nn.Module, got function"):
        Compose([nn.ReLU(), lambda x: x])
