"""The noise scale of loops that accumulate gradients or run in several processes."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD

from corollary.watch.attention import Attention
from corollary.watch.measure.micro_batches import MicroBatches
from corollary.watch.watcher import watch

G, SIGMA = torch.tensor([1.0, 2.0]), 3.0


def passes(count, rng, b=4):
    """Gradients of mean losses over b examples each, as a loop adds them up."""
    total = torch.zeros(2)
    for _ in range(count):
        total = total + G + SIGMA / b**0.5 * torch.randn(2, generator=rng)
        yield total.clone()


@pytest.mark.parametrize("last", ["like the others", "a mean over processes", "shorter"])
def test_both_parts_are_unbiased_and_a_last_pass_of_another_kind_is_left_out(last):
    rng, found = torch.Generator().manual_seed(0), []
    for _ in range(4000):
        micro = MicroBatches()
        for i, grad in enumerate(passes(4, rng)):
            odd = i == 3
            size = 2 if odd and last == "shorter" else 4
            micro.add([grad], size, averaged=odd and last == "a mean over processes")
        found.append(micro.parts())
    noise, signal = torch.tensor(found).mean(0).tolist()
    # 4000 draws: four standard errors are 7 % of the noise and 0.35 of the signal.
    assert noise == pytest.approx(2 * SIGMA**2, rel=0.07)
    assert signal == pytest.approx(5.0, abs=0.35)


def test_one_pass_alone_tells_nothing():
    micro = MicroBatches()
    micro.add([G], 4, averaged=False)
    assert micro.parts() is None


def test_accumulation_gives_the_noise_scale_of_all_parameters():
    torch.manual_seed(0)
    model = nn.Linear(4, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = SGD(model.parameters(), lr=0.0)
    with watch(model, optimizer, to=None, quiet=True, overhead=1.0) as watcher:
        for _ in range(170):
            optimizer.zero_grad()
            for _ in range(4):
                x = torch.randn(16, 4)
                y = x @ torch.ones(4, 1) + 0.5 * torch.randn(16, 1)
                (F.mse_loss(model(x), y) / 4).backward()
            optimizer.step()
    # As for one pass: G = -2 w, |G|² = 16, tr Σ = 4 (4 (|w|² + s²) + 2 |w|²) - 16 with s = 0.5.
    exact = (4 * (4 * (4 + 0.25) + 2 * 4) - 16) / 16
    found = watcher.readings["critical batch size"]
    assert found.low <= exact <= found.high < 3 * exact
    assert watcher.problems == []


def test_later_steps_are_followed_in_windows_that_wander():
    attention = Attention(first=10, window=4, every=20)
    followed = [step for step in range(1000) if attention.plan(step)]
    assert followed[:10] == list(range(10))
    assert 0.15 < len(followed) / 1000 < 0.25
    assert len({step % 20 for step in followed[10:]}) > 15  # no rhythm of its own


def test_an_evaluation_wakes_the_attention_but_not_every_time():
    attention = Attention(first=0, window=4, every=100)
    quiet = [step for step in range(150, 900) if not attention.plan(step)]
    attention.wake(150)
    assert all(attention.plan(step) for step in range(150, 154))
    attention.wake(160)
    assert [step for step in range(154, 900) if not attention.plan(step)] == quiet[4:]
