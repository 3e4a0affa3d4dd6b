"""The check of the depth: exponents of residual networks, and the change that transfers."""

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.scaling.depth import Place
from corollary.train.scaling.blocks import blocks_of, scale_branch
from corollary.train.scaling.depth import depth_check
from corollary.train.scaling.judging import Status

DEPTHS = (4, 8, 16, 32)
WIDTH = 48


@pytest.fixture(scope="module")
def data():
    rng = torch.Generator().manual_seed(0)
    return torch.randn(16, 8, generator=rng), torch.randint(0, 4, (16,), generator=rng)


class Block(nn.Module):
    def __init__(self, norm, factor):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH) if norm else nn.Identity()
        self.up = nn.Linear(WIDTH, WIDTH, bias=False)
        self.down = nn.Linear(WIDTH, WIDTH, bias=False)
        nn.init.normal_(self.up.weight, std=(2 / WIDTH) ** 0.5)
        nn.init.normal_(self.down.weight, std=WIDTH**-0.5)
        self.factor = factor

    def forward(self, x):
        return x + self.factor * self.down(torch.relu(self.up(self.norm(x))))


def network(norm, alpha=0.0):
    def build(depth):
        blocks = [Block(norm, depth**-alpha) for _ in range(depth)]
        first, last = nn.Linear(8, WIDTH, bias=False), nn.Linear(WIDTH, 4, bias=False)
        return nn.Sequential(first, *blocks, nn.LayerNorm(WIDTH) if norm else nn.Identity(), last)

    return build


@pytest.mark.parametrize(("optimizer", "seeds"), [("sgd:lr=0.01", 10), ("adam:lr=0.001", 5)])
def test_without_scaling_it_blows_up_and_the_change_makes_it_transfer(optimizer, seeds, data):
    found = depth_check(network(norm=False), data, optimizer=optimizer, steps=1, seeds=seeds)
    assert found.status is Status.BLOWS_UP and found.along == "depth"
    assert found.confirmed.status is Status.TRANSFERS, str(found)
    for row in found.confirmed.layers:
        if row.role is Place.REPEATED:
            assert row.update.value == pytest.approx(row.theory["1/sqrt(L)"].update, abs=0.15)
            assert row.logits.value == pytest.approx(0, abs=0.15)
    assert "scale_branch(block, depth**-0.5)" in found.code


def test_adam_with_norms_has_the_exponent_of_theory(data):
    found = depth_check(network(norm=True), data, optimizer="adam:lr=0.001", steps=1, confirm=False)
    up = next(row for row in found.layers if row.name == "*.up")
    assert up.theory["unscaled"].logits == 0.5
    assert up.logits.value == pytest.approx(0.5, abs=0.15)


def test_scaled_branches_need_only_the_learning_rate_of_adam(data):
    build = network(norm=False, alpha=0.5)
    sgd = depth_check(build, data, optimizer="sgd:lr=0.01", steps=1, seeds=10)
    assert sgd.status is Status.TRANSFERS and sgd.code == ""
    adam = depth_check(build, data, optimizer="adam:lr=0.001", steps=1)
    assert adam.status is Status.BLOWS_UP and adam.confirmed.status is Status.TRANSFERS
    assert "scale_branch" not in adam.code and '"lr": 0.001 / m**0.5' in adam.code


def test_the_code_of_the_change_gives_the_network_of_the_second_check(data):
    import corollary.scaling

    build = network(norm=False)
    found = depth_check(build, data, optimizer="adam:lr=0.001", seeds=2, steps=1)

    def changed(depth):
        scope = {"torch": torch, "corollary": corollary, "depth": depth, "model": build(depth)}
        exec(found.code, scope)
        return scope["model"], scope["optimizer"]

    again = depth_check(changed, data, seeds=2, steps=1, confirm=False)
    for mine, theirs in zip(again.rows, found.confirmed.rows, strict=True):
        assert mine.logits.value == pytest.approx(theirs.logits.value, rel=1e-6)


def test_blocks_that_add_nothing_to_their_input_are_refused():
    with pytest.raises(InputError, match="as many at every depth"):
        blocks_of(nn.Linear(2, 2), nn.Linear(2, 2))
    block = nn.Linear(2, 3)
    scale_branch(block, 0.5)
    with pytest.raises(InputError, match="add a branch to their input, got shapes"):
        block(torch.zeros(1, 2))
