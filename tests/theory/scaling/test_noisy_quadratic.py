import pytest
import torch

from corollary.errors import InputError
from corollary.theory.scaling.noisy_quadratic import (
    NoisyQuadratic,
    best_peak,
    expected_losses,
    shape,
    steps_to,
)

i = torch.arange(1, 11, dtype=torch.float64)
POWER = NoisyQuadratic(1 / i, 1 / i, torch.ones_like(i))


def test_without_noise_descent_has_its_closed_form():
    quiet = POWER._replace(noise=torch.zeros_like(i))
    course = expected_losses(quiet, [0.5] * 20)
    closed = (quiet.curvature * (1 - 0.5 * quiet.curvature) ** 40).sum() / 2
    assert float(course[-1]) == pytest.approx(float(closed), rel=1e-12)


def test_a_constant_rate_ends_at_its_noise_floor():
    course = expected_losses(POWER, [0.5] * 2000, batch=4)
    h = 0.5 * POWER.curvature
    floor = (0.5 * POWER.noise / 4 / (2 - h)).sum() / 2  # eta c / (2 B (2 - eta lambda))
    assert float(course[-1]) == pytest.approx(float(floor), rel=1e-9)


@pytest.mark.parametrize("name", ["constant", "linear", "cosine", "wsd"])
def test_the_best_peak_is_better_than_its_neighbours(name):
    factors = shape(name, 60, warm_up=5)
    peak = best_peak(POWER, factors, batch=2)
    for other in (0.9, 1.1):
        rates = [peak.rate * other * factor for factor in factors]
        assert float(expected_losses(POWER, rates, 2)[-1]) >= peak.loss


def test_linear_decay_beats_the_other_shapes():
    ends = {n: best_peak(POWER, shape(n, 80)).loss for n in ("constant", "linear", "cosine", "wsd")}
    assert min(ends, key=ends.__getitem__) == "linear"


def test_larger_batches_need_fewer_steps_and_more_examples():
    sizes = (1, 4, 16)
    steps = [steps_to(POWER, 0.2, batch) for batch in sizes]
    assert steps == sorted(steps, reverse=True)
    examples = [s * b for s, b in zip(steps, sizes, strict=True)]
    assert examples == sorted(examples)


def test_a_schedule_that_is_not_known_is_refused():
    with pytest.raises(InputError, match="expected a schedule among constant"):
        shape("staircase", 5)
    with pytest.raises(InputError, match="expected a warm-up below 5 steps"):
        shape("linear", 5, warm_up=5)


def test_nan_and_losses_below_zero_are_refused():
    with pytest.raises(InputError, match="got NaN"):
        best_peak(POWER, [1.0, float("nan")])
    with pytest.raises(InputError, match="at least 0"):
        steps_to(POWER, -1.0, batch=1)
