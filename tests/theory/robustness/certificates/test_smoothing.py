import math

import pytest
import torch
from scipy.stats import norm
from torch import nn

from corollary.errors import InputError
from corollary.theory.robustness.certificates.smoothing import ABSTAIN, Smoothed


def half_space(d=3):
    net = nn.Linear(d, 2, bias=False)
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[0.0] * d, [1.0] + [0.0] * (d - 1)]))
    return net


def test_the_radius_of_a_half_space_approaches_the_distance_from_below():
    x = torch.tensor([[0.5, 3.0, -2.0], [1.0, 0.0, 0.0]])
    smoothed = Smoothed(1.0, draws=40_000, alpha=0.001)
    found = smoothed.certify(half_space(), x, rng=torch.Generator().manual_seed(0))
    assert found.label.tolist() == [1, 1]
    for radius, distance in zip(found.radius.tolist(), (0.5, 1.0), strict=True):
        assert 0.9 * distance < radius < distance


def test_what_is_undecided_is_left_open():
    smoothed = Smoothed(1.0, draws=200, alpha=0.01)
    x, rng = torch.zeros(4, 3), torch.Generator().manual_seed(0)
    found = smoothed.certify(half_space(), x, rng=rng)
    assert set(found.label.tolist()) == {ABSTAIN} and not found.radius.any()
    assert set(smoothed.predict(half_space(), x, rng=rng).tolist()) == {ABSTAIN}
    assert smoothed.predict(half_space(), x + 2, rng=rng).tolist() == [1] * 4


def test_a_run_that_could_certify_nothing_is_refused_before_it_starts():
    with pytest.raises(InputError, match="use at least 10 draws"):
        Smoothed(0.25, draws=9, alpha=0.001)
    few = Smoothed(0.25, draws=10, alpha=0.001)
    with pytest.raises(InputError, match="always abstain"):
        few.predict(half_space(), torch.zeros(1, 3), rng=torch.Generator())


def test_the_largest_radius_is_reached_and_not_exceeded():
    smoothed = Smoothed(0.25, draws=100, alpha=0.01)
    assert smoothed.largest_radius == pytest.approx(0.25 * norm.ppf(0.01 ** (1 / 100)))
    far = torch.full((2, 3), 50.0)
    found = smoothed.certify(half_space(), far, rng=torch.Generator().manual_seed(0))
    assert found.radius.tolist() == pytest.approx([smoothed.largest_radius] * 2)


def test_one_score_a_row_has_two_classes():
    score = nn.Linear(1, 1)
    with torch.no_grad():
        score.weight.fill_(1.0)
        score.bias.fill_(0.0)
    x = torch.tensor([[3.0], [-3.0]])
    found = Smoothed(0.5).certify(score, x, rng=torch.Generator().manual_seed(0))
    assert found.label.tolist() == [1, 0] and math.isfinite(found.radius.sum())


@pytest.mark.parametrize("options", [{"sigma": 0.0}, {"sigma": 1.0, "alpha": 1.5}])
def test_misuse_is_refused(options):
    with pytest.raises(InputError):
        Smoothed(**options)
