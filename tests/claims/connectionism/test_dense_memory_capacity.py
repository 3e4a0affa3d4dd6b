import pytest
import torch

from corollary.claims.connectionism.dense_memory_capacity import (
    PROBES,
    DenseMemoryCapacity,
    Given,
    _errors,
)
from corollary.core import Verdict
from corollary.data.patterns import random_patterns
from corollary.models.dense_memory import DenseAssociativeMemory


def test_the_errors_counted_are_those_of_the_memory():
    n, most, given = 20, 40, Given((20,), 3, 1)
    errors = _errors(n, most, given, torch.Generator().manual_seed(5))
    rng = torch.Generator().manual_seed(5)
    x, others = random_patterns(PROBES, n, rng=rng), random_patterns(most - 1, n, rng=rng)
    for K in (1, 2, 17, 40):
        wrong = [
            (p * DenseAssociativeMemory(torch.cat([p[None], others[: K - 1]])).field(p) < 0)
            for p in x
        ]
        assert errors[K - 1].item() == pytest.approx(torch.stack(wrong).double().mean().item())


def test_hopfields_network_holds_a_number_linear_in_n():
    claim = DenseMemoryCapacity(power=2, sizes=(64, 96, 128, 192, 256), memories=60)
    assert claim.check_given(claim.draw(0)).verdict is Verdict.HOLDS


def test_similar_patterns_crowd_each_other_out():
    refuted = DenseMemoryCapacity(memories=1).refute(0)
    assert refuted.fails and refuted.measured[0].value < 0.5
