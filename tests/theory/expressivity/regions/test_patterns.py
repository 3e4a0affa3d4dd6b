"""Patterns, local maps and what sampling misses."""

import math

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.expressivity.regions.patterns import (
    activation_pattern,
    local_affine_map,
    sample_patterns,
)
from corollary.theory.expressivity.regions.plane import linear_regions


def net(d=5, seed=0) -> nn.Sequential:
    rng = generator(seed, "patterns")
    made = nn.Sequential(nn.Linear(d, 7), nn.ReLU(), nn.Linear(7, 6), nn.ReLU(), nn.Linear(6, 3))
    for p in made.parameters():
        p.data = torch.randn(p.shape, generator=rng)
    return made


def test_the_pattern_is_the_sign_of_every_pre_activation():
    model, x = net(), torch.randn(50, 5, generator=generator(0))
    model, x = model.double(), x.double()
    first = model[0](x)
    second = model[2](first.relu())
    assert torch.equal(
        activation_pattern(model, x), (torch.cat([first, second], dim=1) > 0).to(torch.int16)
    )


def test_the_local_map_is_the_network_in_the_whole_cell():
    model, x = net().double(), torch.randn(40, 5, generator=generator(1)).double()
    slope, offset = local_affine_map(model, x)
    jacobian = torch.stack([torch.autograd.functional.jacobian(model, row) for row in x])
    torch.testing.assert_close(slope, jacobian)
    near = x + 1e-3 * torch.randn(x.shape, generator=generator(2)).double()
    same = (activation_pattern(model, near) == activation_pattern(model, x)).all(dim=1)
    assert same.sum() > 20
    mapped = (slope @ near[:, :, None])[:, :, 0] + offset
    torch.testing.assert_close(mapped[same], model(near)[same].detach(), rtol=1e-9, atol=1e-9)


def test_the_missing_mass_is_the_area_of_the_regions_that_were_not_seen():
    """In the plane the regions are known exactly: Good and Turing against the truth."""
    model = net(d=2, seed=3)
    mosaic = linear_regions(model)
    share = mosaic.areas() / 4
    estimates, truths = [], []
    for seed in range(40):
        x = 2 * torch.rand(100, 2, generator=generator(seed, "draw"), dtype=torch.float64) - 1
        found = sample_patterns(model, x)
        seen = {tuple(row) for row in activation_pattern(model, x).tolist()}
        missed = [tuple(row) not in seen for row in mosaic.patterns().tolist()]
        truths.append(float(share[torch.tensor(missed)].sum()))
        estimates.append(found.missing_mass)
        assert found.seen == len(seen) <= mosaic.count
        assert truths[-1] <= found.missing_mass_upper(0.05)
    gap = torch.tensor(estimates) - torch.tensor(truths)
    assert abs(float(gap.mean())) < 3 * float(gap.std()) / math.sqrt(40) + 0.01


def test_the_richness_stays_below_the_truth_on_average_and_above_what_was_seen():
    model = net(d=2, seed=3)
    whole = linear_regions(model).count
    rich = []
    for seed in range(20):
        x = 2 * torch.rand(400, 2, generator=generator(seed, "rich"), dtype=torch.float64) - 1
        found = sample_patterns(model, x)
        assert found.richness >= found.seen
        rich.append(found.richness)
    assert sum(rich) / len(rich) < 1.1 * whole


def test_bad_inputs_are_refused():
    with pytest.raises(InputError, match="at least one input"):
        sample_patterns(net(), torch.zeros(0, 5))
    with pytest.raises(InputError, match="delta must lie"):
        sample_patterns(net(), torch.zeros(3, 5)).missing_mass_upper(1.5)
