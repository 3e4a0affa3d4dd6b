import random

import numpy as np
import pytest
import torch
from torch import nn

from corollary.theory.modules.keeping import kept, requiring_grad


class Restless(nn.Module):
    """Changes a buffer in place, another by reassignment, and a plain attribute, in forward."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout())
        self.register_buffer("in_place", torch.zeros(2))
        self.register_buffer("reassigned", torch.zeros(2))
        self.calls = 0
        self.seen = []
        self.loose = torch.zeros(1)

    def forward(self, x):
        self.in_place += 1
        self.reassigned = self.reassigned + 1
        self.calls += 1
        self.seen.append(self.calls)
        self.loose += 1
        return self.inner(x)


def photograph(model):
    state = {k: v.clone() for k, v in model.state_dict().items()}
    grads = {k: None if p.grad is None else p.grad.clone() for k, p in model.named_parameters()}
    flags = [m.training for m in model.modules()]
    asks = [p.requires_grad for p in model.parameters()]
    hooks = [len(m._forward_hooks) for m in model.modules()]
    loose = (model.calls, list(model.seen), model.loose.clone())
    identities = [id(t) for t in (*model.parameters(), *model.buffers())]
    return state, grads, flags, asks, hooks, loose, identities


def same(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@pytest.fixture
def model():
    model = Restless()
    model(torch.randn(4, 3)).sum().backward()
    model.inner[0].bias.requires_grad_(False)
    model.inner[1].eval()
    return model


def test_whatever_happens_inside_is_undone(model):
    before = photograph(model)
    with kept(model):
        model.train()
        model.inner[0].register_forward_hook(lambda *_: None)
        model(torch.randn(4, 3)).pow(2).sum().backward()
        with torch.no_grad():
            model.inner[0].weight.zero_()
        model.inner[0].weight = nn.Parameter(torch.ones(3, 3))
        model.extra = nn.Linear(1, 1)
        model.requires_grad_(True)
        model.zero_grad(set_to_none=True)
    assert same(photograph(model), before)
    assert not hasattr(model, "extra")


def test_an_error_inside_undoes_too(model):
    before = photograph(model)
    with pytest.raises(RuntimeError), kept(model):
        model(torch.randn(4, 3))
        raise RuntimeError
    assert same(photograph(model), before)


def test_the_world_is_given_back(model):
    torch.manual_seed(1), random.seed(1), np.random.seed(1)
    expected = torch.rand(1), random.random(), np.random.rand()
    torch.manual_seed(1), random.seed(1), np.random.seed(1)
    threads = torch.get_num_threads()
    with kept(model):
        torch.rand(5), random.random(), np.random.rand(7)
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(2)
        torch.set_grad_enabled(False)
    assert (torch.rand(1), random.random(), np.random.rand()) == expected
    assert torch.get_default_dtype() is torch.float32
    assert torch.get_num_threads() == threads
    assert torch.is_grad_enabled()


def test_shared_weights_stay_shared():
    layer = nn.Linear(2, 2)
    model = nn.Sequential(layer, layer)
    with kept(model), torch.no_grad():
        layer.weight.add_(1)
    assert model[0].weight is model[1].weight


def test_a_training_step_outside_still_works_afterwards(model):
    out = model(torch.randn(4, 3)).sum()
    with kept(model):
        model(torch.randn(4, 3)).sum().backward()
    out.backward()  # the graph made before is not disturbed


def test_buffers_are_not_written_to_so_graphs_made_inside_outlive_the_block():
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).train()
    version = model[1].running_mean._version
    with kept(model):
        out = model(torch.randn(4, 3)).pow(3).sum()
    with kept(model):
        model(torch.randn(4, 3))
    assert model[1].running_mean._version == version
    (grad,) = torch.autograd.grad(out, model[0].weight)
    assert torch.isfinite(grad).all()


def test_a_buffer_held_in_two_places_stays_one_tensor_inside():
    model = nn.Module()
    model.a, model.b = Restless(), Restless()
    model.b.in_place = model.a.in_place
    with kept(model):
        assert model.a.in_place is model.b.in_place
    assert model.a.in_place is model.b.in_place


def test_frozen_parameters_can_be_differentiated_for_a_while():
    layer = nn.Linear(2, 1).requires_grad_(False)
    with requiring_grad(layer.parameters()):
        (grad,) = torch.autograd.grad(layer(torch.ones(1, 2)).sum(), layer.weight)
    assert torch.equal(grad, torch.ones(1, 2)) and not layer.weight.requires_grad


def test_what_is_only_read_is_not_copied_but_all_else_is_given_back():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    mean = net[1].running_mean
    before, rng = mean.clone(), torch.get_rng_state()
    with kept(net, read_only=True):
        net.requires_grad_(False)
        net.train()(torch.randn(8, 2))
        assert not torch.equal(net[1].running_mean, before)
        net.eval()
    assert net[1].running_mean is mean and torch.equal(mean, before)
    assert torch.equal(torch.get_rng_state(), rng)
    assert net.training and all(p.requires_grad and p.grad is None for p in net.parameters())
