"""Small networks of every kind whose dense matrices can be computed by brute force."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """LayerNorm, fused attention (no second derivative by default), a token embedding."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 4)
        self.norm = nn.LayerNorm(4)
        self.qkv = nn.Linear(4, 12)
        self.head = nn.Linear(4, 3)

    def forward(self, tokens):
        h = self.embed(tokens)
        q, k, v = (t[:, None] for t in self.qkv(self.norm(h)).chunk(3, dim=-1))
        h = h + F.scaled_dot_product_attention(q, k, v, is_causal=True)[:, 0]
        return self.head(h.mean(1))


class Recurrent(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell, self.head = cell(3, 4, batch_first=True), nn.Linear(4, 3)

    def forward(self, x):
        return self.head(self.cell(x)[0][:, -1])


class Shared(nn.Module):
    """One layer used twice, and one weight held by two layers."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = self.a
        self.down, self.up = nn.Linear(4, 3, bias=False), nn.Linear(4, 3)
        self.up.weight = self.down.weight

    def forward(self, x):
        h = torch.tanh(self.b(torch.tanh(self.a(x))))
        return self.up(h) * self.down(h).sigmoid()


def _mlp():
    return nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 4), nn.GELU(), nn.Linear(4, 3))


def _cnn():
    return nn.Sequential(
        nn.Conv2d(1, 3, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(3, 2, 3),
        nn.Tanh(),
        nn.Flatten(),
        nn.Linear(2, 3),
    )


INPUTS = {
    "mlp": (_mlp, lambda g: torch.randn(9, 5, generator=g)),
    "cnn": (_cnn, lambda g: torch.randn(9, 1, 6, 6, generator=g)),
    "attention": (Attention, lambda g: torch.randint(0, 7, (9, 5), generator=g)),
    "lstm": (lambda: Recurrent(nn.LSTM), lambda g: torch.randn(9, 4, 3, generator=g)),
    "gru": (lambda: Recurrent(nn.GRU), lambda g: torch.randn(9, 4, 3, generator=g)),
    "shared": (Shared, lambda g: torch.randn(9, 4, generator=g)),
}


def make(name, seed=0):
    """A network in double precision with inputs and labels."""
    build, draw = INPUTS[name]
    g = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = build().double()
    x = draw(g)
    x = x.double() if x.is_floating_point() else x
    return module, x, torch.randint(0, 3, (9,), generator=g)


@pytest.fixture(params=sorted(INPUTS))
def network(request):
    return make(request.param)


@pytest.fixture
def small():
    return make("mlp")


@pytest.fixture
def snapshot():
    """A function that records everything a module must be given back with."""

    def take(module):
        state = copy.deepcopy(module.state_dict())
        grads = [None if p.grad is None else p.grad.clone() for p in module.parameters()]
        return {
            "names": list(state),
            "state": list(state.values()),
            "objects": [id(t) for t in (*module.parameters(), *module.buffers())],
            "grads": grads,
            "modes": [m.training for m in module.modules()],
            "flags": [p.requires_grad for p in module.parameters()],
            "hooks": [len(m._forward_hooks) for m in module.modules()],
            "random": torch.get_rng_state(),
        }

    def same(a, b):
        for key in ("names", "objects", "modes", "flags", "hooks"):
            assert a[key] == b[key], key
        for key in ("state", "grads"):
            for s, t in zip(a[key], b[key], strict=True):
                assert (s is None and t is None) or torch.equal(s, t), key
        assert torch.equal(a["random"], b["random"])

    take.same = same
    return take
