"""Outputs taken in turns, and the layer that gives them."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from corollary.theory.kernels.empirical import blocks, empirical_ntk
from corollary.theory.kernels.empirical.features import Gradients
from corollary.theory.kernels.empirical.layers import Head


class Hyper(nn.Module):
    """The last weight is itself computed from the parameters of another layer."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(3, 4), nn.Linear(4, 5)
        self.bias = nn.Parameter(torch.ones(5))

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(self.inner(x).tanh(), self.outer.weight.tanh(), self.bias)


class Tied(nn.Module):
    """The last weight is used twice."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(self.layer(x).tanh())


def network(name: str) -> tuple[nn.Module, Tensor]:
    torch.manual_seed(0)
    models = {
        "mlp": nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 5)),
        "one layer": nn.Linear(3, 5),
        "convolutions": nn.Sequential(
            nn.Unflatten(1, (1, 3)), nn.Conv1d(1, 4, 2), nn.Tanh(), nn.Flatten(), nn.Linear(8, 5)
        ),
        "hyper": Hyper(),
        "tied": Tied(),
        "scaled": nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 5), nn.Softplus()),
    }
    model = models[name].double()
    return model, torch.randn(7, 4 if name == "tied" else 3, dtype=torch.float64)


NETWORKS = ["mlp", "one layer", "convolutions", "hyper", "tied", "scaled"]


@pytest.mark.parametrize("mode", ["full", "diagonal", "trace"])
@pytest.mark.parametrize("name", NETWORKS)
def test_outputs_in_turns_give_the_kernel_of_written_out_gradients(name, mode, monkeypatch):
    model, x = network(name)
    truth = empirical_ntk(model, x, x[:5], mode=mode, method="jacobian")
    for numbers in (1, 70, 100, 10**6):  # of one output, of a few, of all; blocks of 7 and of 5
        monkeypatch.setattr(blocks, "TURN", numbers)
        found = empirical_ntk(model, x, x[:5], mode=mode)
        torch.testing.assert_close(found, truth, rtol=1e-12, atol=1e-12)
        square = empirical_ntk(model, x, mode=mode)
        torch.testing.assert_close(square[:, :5], truth, rtol=1e-12, atol=1e-12)


def test_an_output_that_is_asked_for_twice_is_its_own_neighbour():
    model, x = network("mlp")
    full = empirical_ntk(model, x, mode="full", outputs=[2, 2])
    one = empirical_ntk(model, x, outputs=2)
    torch.testing.assert_close(full, one[..., None, None].expand(-1, -1, 2, 2))


@pytest.mark.parametrize(("name", "direct"), [("mlp", True), ("tied", False), ("scaled", False)])
def test_the_weight_before_the_outputs_needs_no_gradients_where_it_is_used_once(name, direct):
    model, x = network(name)
    block = Gradients(model, x, None, None).of(x)
    kinds = [type(factors) for _, _, factors in block.factors(block.outputs)]
    assert (Head in kinds) == direct


def test_memory_does_not_grow_with_the_outputs(monkeypatch):
    sizes: list[int] = []
    pulled_back = blocks._pulled_back

    def measured(*args, **named):
        found = pulled_back(*args, **named)
        sizes.append(sum(g.numel() for g in found if g is not None))
        return found

    monkeypatch.setattr(blocks, "_pulled_back", measured)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3000))
    k = empirical_ntk(model, torch.randn(40, 8))
    assert k.shape == (40, 40)
    assert max(sizes) <= blocks.TURN
    assert sum(sizes) == 3000 * 40 * 64  # the last layer's own gradients are never made
