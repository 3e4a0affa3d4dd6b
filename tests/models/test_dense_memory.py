import pytest
import torch

from corollary.data.patterns import random_patterns, with_flipped_bits
from corollary.errors import InputError
from corollary.models.dense_memory import DenseAssociativeMemory
from corollary.models.hopfield import Hopfield


def draw(s, n, seed=0):
    return random_patterns(s, n, rng=torch.Generator().manual_seed(seed))


def test_power_two_makes_hopfields_decisions():
    P, X = draw(12, 50), draw(30, 50, seed=1)
    dense, classical = DenseAssociativeMemory(P, power=2), Hopfield.store(P)
    assert torch.equal(dense(X), classical(X))
    left, right = dense.async_run(X), classical.async_run(X)
    assert torch.equal(left.states, right.states)
    assert torch.equal(left.flips, right.flips)


@pytest.mark.parametrize("options", [{"power": 3}, {"power": 4}, {"energy": "exp"}])
def test_energy_falls_and_runs_end_in_fixed_points(options):
    memory = DenseAssociativeMemory(draw(40, 30), **options)
    run = memory.async_run(draw(20, 30, seed=2))
    assert bool((run.energies.diff(dim=0) <= 0).all())
    assert bool(run.converged.all())
    assert bool(memory.is_fixed(run.states).all())


@pytest.mark.parametrize("options", [{"power": 3}, {"energy": "exp"}])
def test_a_step_is_the_sign_of_the_field_at_that_neuron(options):
    memory, X = DenseAssociativeMemory(draw(10, 20), **options), draw(15, 20, seed=3)
    for i in range(20):
        wanted = X.clone()
        wanted[:, i] = memory(X)[:, i]
        assert torch.equal(memory.step(X, i), wanted)


def test_more_random_patterns_are_stable_the_higher_the_power():
    n, K = 32, 200
    P = draw(K, n)
    counts = [int(DenseAssociativeMemory(P, power=p).is_fixed(P).sum()) for p in (2, 3, 4, 6)]
    assert counts[0] == 0
    assert counts == sorted(counts)
    assert counts[-1] > 0.9 * K


def test_the_exponential_memory_holds_two_to_the_half_n_patterns():
    n = 24
    P = draw(2 ** (n // 2), n)
    memory = DenseAssociativeMemory(P, energy="exp")
    wrong = float((memory(P[:500]) != P[:500]).double().mean())
    assert wrong < 0.01


def test_damage_is_repaired_without_overflow_in_large_exponential_memories():
    P = draw(50, 2000)
    memory = DenseAssociativeMemory(P, energy="exp")
    X = with_flipped_bits(P[:3], 0.2, rng=torch.Generator().manual_seed(0))
    assert torch.equal(memory(X), P[:3])


def test_it_prints_its_size_and_law():
    assert "K=4, n=9, F=z^3" in repr(DenseAssociativeMemory(draw(4, 9)))


def test_patterns_that_are_no_signs_are_refused():
    with pytest.raises(InputError, match="-1 and"):
        DenseAssociativeMemory(torch.tensor([[0.0, 1.0]]))
    with pytest.raises(InputError, match="at least 2"):
        DenseAssociativeMemory(torch.ones(1, 2), power=1)
