"""Attention entropy, saturation, batch statistics and movement against what torch itself gives."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.watch.measure.inside import Inside, Movement, batch_shift
from corollary.watch.measure.layers import LayerProbe
from corollary.watch.watcher import watch


@pytest.fixture(autouse=True)
def same_numbers():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_attention_entropy_is_that_of_torchs_own_weights(first, causal):
    layer = nn.MultiheadAttention(8, 2, batch_first=first)
    x = 3 * torch.randn(4, 6, 8)
    mask = torch.ones(6, 6).triu(1).bool() if causal else None
    given = x if first else x.transpose(0, 1)
    _, weights = layer(given, given, given, attn_mask=mask, average_attn_weights=False)
    seen = Inside()
    seen.see("a", layer, (given, given, given), {"attn_mask": mask}, None)
    entropy = torch.special.entr(weights).sum(-1)
    most = torch.arange(1, 7.0).log() if causal else torch.full((6,), math.log(6))
    there = most > 0
    expected = (entropy[..., there] / most[there]).mean()
    assert seen.entropy["a"] == pytest.approx(expected.item(), abs=1e-5)


class Attends(nn.Module):
    """Attention of two heads, fused or by hand, with a mask of its own kind."""

    def __init__(self, fused, mask):
        super().__init__()
        self.fused, self.mask, self.qkv = fused, mask, nn.Linear(6, 18)
        self.head = nn.Linear(6, 1)

    def weights(self, x):
        q, k, v = self.qkv(x.reshape(len(x) // 4, 4, 6)).chunk(3, -1)
        return (t.unflatten(-1, (2, 3)).transpose(1, 2) for t in (q, k, v))

    def scores(self, q, k):
        later = torch.ones(4, 4).triu(1).bool()
        lowest = {"bool": -math.inf, "float": torch.finfo(torch.float32).min, "causal": -math.inf}
        return (q @ k.mT / math.sqrt(3)).masked_fill(later, lowest[self.mask])

    def forward(self, x):
        q, k, v = self.weights(x)
        if self.fused:
            later = torch.ones(4, 4).triu(1).bool()
            masks = {
                "causal": {"is_causal": True},
                "bool": {"attn_mask": ~later},
                "float": {"attn_mask": torch.zeros(4, 4).masked_fill(later, -math.inf)},
            }
            mixed = F.scaled_dot_product_attention(q, k, v, **masks[self.mask])
        else:
            mixed = F.softmax(self.scores(q, k), dim=-1) @ v
        return self.head(mixed.transpose(1, 2).reshape(len(x), 6))


@pytest.mark.parametrize("mask", ["causal", "bool", "float"])
@pytest.mark.parametrize("fused", [True, False])
def test_attention_is_seen_wherever_it_is_computed(fused, mask):
    model, x = Attends(fused, mask), 3 * torch.randn(16, 6)
    probe = LayerProbe(model)
    probe.attach()
    watched = model(x)
    probe.remove_calls()
    assert torch.equal(watched, model(x))
    q, k, _ = model.weights(x)
    entropy = torch.special.entr(model.scores(q, k).softmax(-1)).sum(-1)
    expected = (entropy[..., 1:] / torch.arange(2, 5.0).log()).mean()
    assert list(probe.inside.entropy) == ["attention 1"]
    assert probe.inside.entropy["attention 1"] == pytest.approx(expected.item(), abs=1e-5)


def test_nothing_is_looked_at_after_a_pass_that_failed():
    model = Attends(True, "causal")
    probe = LayerProbe(model)
    probe.attach()
    with pytest.raises(RuntimeError):
        model(torch.randn(16, 5))
    F.softmax(torch.zeros(1, 2, 3, 3), -1)
    assert probe.inside.entropy == {}
    probe.forget()


def test_batch_shift_is_the_distance_that_was_planted():
    norm = nn.BatchNorm1d(4)
    norm.running_mean += 2.0
    norm.num_batches_tracked += 10
    x = torch.randn(512, 4)
    x = x - x[:64].mean(0)
    assert batch_shift(norm, x) == pytest.approx(2.0, rel=1e-4)


def test_movement_is_the_relative_distance_with_its_interval():
    layers = nn.ModuleList(nn.Linear(20, 20, bias=False) for _ in range(3))
    named = list(layers.named_parameters())
    movement = Movement()
    assert movement.read(named) is None
    with torch.no_grad():
        for p, factor in zip(layers.parameters(), (1.1, 1.2, 1.3), strict=True):
            p.mul_(factor)
    found = movement.read(named)
    assert found.value == pytest.approx(0.2, rel=1e-4)
    assert found.low < 0.1 < 0.3 < found.high


def trained(model, scale=1.0, steps=40, lr=1e-3):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    with watch(model, optimizer, to=None, quiet=True, overhead=1.0) as watcher:
        for _ in range(steps):
            optimizer.zero_grad()
            F.mse_loss(model(scale * torch.randn(32, 6)), torch.randn(32, 1)).backward()
            optimizer.step()
    assert watcher.problems == []
    return watcher


@pytest.mark.parametrize(("scale", "told"), [(1.0, False), (1000.0, True)])
def test_saturated_units_are_told(scale, told):
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
    watcher = trained(model, scale)
    assert ("units/saturated" in {e.cause for e in watcher.events}) is told
    assert (watcher.readings["saturated units"].value > 0.9) is told
    assert watcher.readings["movement"].high > 0


@pytest.mark.parametrize(("momentum", "told"), [(0.1, False), (0.0, True)])
def test_statistics_that_are_never_stored_are_told(momentum, told):
    norm = nn.BatchNorm1d(16, momentum=momentum)
    model = nn.Sequential(nn.Linear(6, 16), norm, nn.Linear(16, 1))
    with torch.no_grad():
        model[0].bias += 5.0
    watcher = trained(model, steps=60)
    assert ("mode/batch_norm_statistics" in {e.cause for e in watcher.events}) is told


@pytest.mark.parametrize(("scale", "told"), [(1.0, False), (300.0, True)])
def test_attention_that_collapses_is_told(scale, told):
    class Reads(nn.Module):
        def __init__(self):
            super().__init__()
            self.attend = nn.MultiheadAttention(6, 1, batch_first=True)
            self.head = nn.Linear(6, 1)

        def forward(self, x):
            h = x.view(8, 4, 6)
            return self.head(self.attend(h, h, h, need_weights=False)[0].reshape(32, 6))

    watcher = trained(Reads(), scale)
    assert ("attention/collapsed" in {e.cause for e in watcher.events}) is told
