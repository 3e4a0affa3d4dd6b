import math

import pytest
import torch
from scipy.special import erf

from corollary.data.patterns import random_patterns
from corollary.errors import InputError
from corollary.models.hopfield import Hopfield
from corollary.theory.connectionism.hopfield.storage import overlap
from corollary.theory.connectionism.hopfield.transition import critical_load, retrieval_overlap


def test_the_published_numbers_come_out():
    assert critical_load() == pytest.approx(0.138, abs=5e-4)
    assert retrieval_overlap(critical_load() * (1 - 1e-12)) == pytest.approx(0.967, abs=1e-3)


@pytest.mark.parametrize("load", [0.02, 0.08, 0.12, 0.137])
def test_the_overlap_solves_the_mean_field_equations(load):
    m = retrieval_overlap(load)
    r = 1.0
    for _ in range(5000):  # iterate the two equations in their original form
        C = math.sqrt(2 / (math.pi * load * r)) * math.exp(-(m**2) / (2 * load * r))
        r = 0.5 * r + 0.5 / (1 - C) ** 2
    assert m == pytest.approx(erf(m / math.sqrt(2 * load * r)), abs=1e-8)


def end_overlap(n, load, networks=3):
    rng = torch.Generator().manual_seed(n)
    values = []
    for _ in range(networks):
        P = random_patterns(round(load * n), n, rng=rng, dtype=torch.float32)
        values.append(overlap(Hopfield.store(P).async_run(P[:16]).states, P[:16]).mean())
    return float(sum(values) / networks)


def test_patterns_are_kept_at_load_ten_percent_and_lost_at_twenty():
    assert end_overlap(1024, 0.10) == pytest.approx(retrieval_overlap(0.10), abs=0.01)
    assert end_overlap(1024, 0.20) < 0.5


def test_the_drop_sharpens_with_size():
    drops = [end_overlap(n, 0.14, 6) - end_overlap(n, 0.18, 6) for n in (128, 1024)]
    assert drops[0] < drops[1]


def test_a_load_that_is_not_positive_is_refused():
    with pytest.raises(InputError, match="positive"):
        retrieval_overlap(0.0)
