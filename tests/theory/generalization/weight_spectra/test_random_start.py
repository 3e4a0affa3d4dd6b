import math

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.generalization.weight_spectra.random_start import random_start

STARTS = {
    "torch": lambda w: nn.init.kaiming_uniform_(w, a=math.sqrt(5)),
    "he uniform": nn.init.kaiming_uniform_,
    "xavier uniform": nn.init.xavier_uniform_,
    "he normal": nn.init.kaiming_normal_,
    "xavier normal": nn.init.xavier_normal_,
    "gpt": lambda w: nn.init.normal_(w, std=0.02),
    "orthogonal": nn.init.orthogonal_,
}


def drawn(start, shape=(60, 80), seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return STARTS[start](torch.empty(*shape))


@pytest.mark.parametrize("start", STARTS)
def test_common_starts_are_recognised(start):
    found = [random_start(drawn(start, seed=k), fans=(80, 60)) for k in range(20)]
    law = "orthogonal" if start == "orthogonal" else "normal"
    law = "uniform" if "uniform" in start or start == "torch" else law
    assert sum(f is not None and f.law == law for f in found) >= 19


@pytest.mark.parametrize("start", ["torch", "xavier uniform"])
def test_a_small_change_of_uniform_numbers_is_seen(start):
    rng = torch.Generator().manual_seed(0)
    seen = 0
    for k in range(20):
        w = drawn(start, seed=k)
        unseen = random_start(w, fans=(80, 60)).change
        moved = w + 2 * unseen * w.std() * torch.randn(w.shape, generator=rng)
        seen += random_start(moved, fans=(80, 60)) is None
    assert unseen < 0.003
    assert seen >= 18, "twice what goes unseen with confidence 95 %"


def test_a_change_of_normal_numbers_is_seen_when_it_is_large():
    w = drawn("he normal")
    unseen = random_start(w, fans=(80, 60)).change
    rng = torch.Generator().manual_seed(0)
    moved = w + 1.5 * unseen * w.std() * torch.randn(w.shape, generator=rng)
    assert 0.2 < unseen < 0.5 and random_start(moved, fans=(80, 60)) is None


def test_brain_floats_are_rounded_and_still_recognised():
    assert random_start(drawn("torch").bfloat16(), fans=(80, 60)).law == "uniform"


def test_recurrent_weights_start_by_their_hidden_units():
    torch.manual_seed(0)
    for cell in (nn.LSTM(20, 30), nn.GRU(20, 30), nn.RNN(20, 30)):
        for w in (cell.weight_ih_l0, cell.weight_hh_l0):
            assert random_start(w, fans=(w.shape[1], w.shape[0])).law == "uniform"


def test_nothing_is_said_of_few_or_broken_numbers():
    assert random_start(drawn("torch", (5, 5)), fans=(5, 5)) is None
    assert random_start(torch.full((20, 20), math.nan), fans=(20, 20)) is None
    assert random_start(torch.zeros(20, 20), fans=(20, 20)) is None
    with pytest.raises(InputError, match="fan-in"):
        random_start(torch.zeros(20, 20), fans=(0, 20))
