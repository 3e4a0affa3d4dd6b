import pytest
import torch

from corollary.data.patterns import random_patterns, with_flipped_bits
from corollary.errors import InputError
from corollary.theory.connectionism.hopfield.dynamics import (
    asynchronous_run,
    flip_sequence,
    sweep_orders,
    synchronous_run,
)
from corollary.theory.connectionism.hopfield.energy import energy, field
from corollary.theory.connectionism.hopfield.states import sign
from corollary.theory.connectionism.hopfield.storage import hebbian_counts, hebbian_field

BACKENDS = ["torch", "numba"]


def one_by_one(W, b, X, order, max_sweeps):
    ends = []
    for x in X:
        flips = list(flip_sequence(W, b, x, order, max_sweeps))
        ends.append(flips[-1].state if flips else x)
    return torch.stack(ends)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("n", "s", "batch"), [(1, 1, 3), (2, 2, 4), (33, 4, 5), (100, 20, 7)])
@pytest.mark.parametrize("max_sweeps", [1, 50])
def test_stored_patterns_lead_to_the_same_ends_as_one_neuron_at_a_time(
    backend, n, s, batch, max_sweeps
):
    rng = torch.Generator().manual_seed(n)
    J, b = hebbian_counts(random_patterns(s, n, rng=rng)), torch.zeros(n, dtype=torch.float64)
    X, order = random_patterns(batch, n, rng=rng), sweep_orders(n, max_sweeps, rng=rng)
    run = asynchronous_run(J, b, X, order, max_sweeps, backend=backend)
    assert torch.equal(run.states, one_by_one(J, b, X, order, max_sweeps))


@pytest.mark.parametrize("seed", range(4))
def test_the_compiled_kernel_and_torch_agree_in_everything(seed):
    rng = torch.Generator().manual_seed(seed)
    A = torch.randint(-5, 6, (70, 70), generator=rng).double()
    b = torch.randint(-3, 4, (70,), generator=rng).double()
    X, order = random_patterns(9, 70, rng=rng), torch.randperm(70, generator=rng)
    for W in ((A + A.T).fill_diagonal_(0), A):  # symmetric, and one without an energy
        if W is A:
            first, second = (asynchronous_run(W, b, X, order, 6, backend=k) for k in BACKENDS)
            assert torch.equal(first.states, second.states)
            continue
        first, second = (asynchronous_run(W, b, X, order, backend=k) for k in BACKENDS)
        for left, right in zip(first, second, strict=True):
            assert torch.equal(left, right)
        assert bool(first.converged.all())


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(5))
def test_energies_fall_and_the_end_is_a_fixed_point(backend, seed):
    rng = torch.Generator().manual_seed(seed)
    A = torch.randn(60, 60, generator=rng, dtype=torch.float64)
    W, b = (A + A.T).fill_diagonal_(0), torch.randn(60, generator=rng, dtype=torch.float64)
    run = asynchronous_run(W, b, random_patterns(20, 60, rng=rng), backend=backend)
    assert bool((run.energies.diff(dim=0) <= 1e-9).all())
    assert bool(run.converged.all())
    assert torch.equal(run.states, sign(field(W, b, run.states)))
    assert torch.allclose(run.energies[-1], energy(W, b, run.states))
    assert bool((run.flips[-1] > 0).any())  # no idle sweep is recorded


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_fixed_point_takes_no_sweep(backend):
    x = random_patterns(1, 40, rng=torch.Generator().manual_seed(0))
    run = asynchronous_run(hebbian_counts(x), None, x, backend=backend)
    assert torch.equal(run.states, x)
    assert (run.energies.shape, run.flips.shape) == ((1, 1), (0, 1))


def test_asymmetric_couplings_can_cycle_for_ever():
    W = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
    flips = list(flip_sequence(W, torch.zeros(2), torch.ones(2), max_sweeps=100))
    assert len(flips) >= 100
    run = asynchronous_run(W, None, torch.ones(1, 2), max_sweeps=100)
    assert not bool(run.converged)


def test_two_neurons_that_copy_each_other_swing_when_updated_at_once():
    W = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    run = synchronous_run(lambda X: field(W, torch.zeros(2), X), torch.tensor([[1.0, -1.0]]))
    assert run.period.tolist() == [2]


def test_the_low_rank_form_makes_the_same_synchronous_steps():
    rng = torch.Generator().manual_seed(3)
    P = random_patterns(10, 128, rng=rng)  # n a power of two: both forms are exact
    W, X = hebbian_counts(P) / 128, with_flipped_bits(P, 0.2, rng=rng)
    dense = synchronous_run(lambda S: S @ W.T, X)
    thin = synchronous_run(lambda S: hebbian_field(P, S), X)
    assert torch.equal(dense.states, thin.states)
    assert torch.equal(dense.period, thin.period)
    assert dense.steps == thin.steps


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": torch.ones(4)}, "one state per row"),
        ({"X": torch.ones(2, 5)}, "4 entries"),
        ({"X": torch.zeros(2, 4)}, "-1 and \\+1"),
        ({"X": torch.full((1, 4), torch.nan)}, "nan"),
        ({"W": torch.zeros(4, 3)}, "square"),
        ({"W": torch.full((4, 4), torch.inf)}, "finite"),
        ({"b": torch.zeros(3)}, "one threshold per neuron"),
        ({"order": torch.tensor([0, 1, 2, 2])}, "each of the 4 neurons once"),
        ({"order": torch.arange(3)}, "each of the 4 neurons once"),
        ({"max_sweeps": 0}, "max_sweeps"),
    ],
)
def test_bad_input_is_named(without_shape_checks, change, words):
    arguments = {"W": torch.zeros(4, 4), "b": torch.zeros(4), "X": torch.ones(2, 4)}
    with pytest.raises(InputError, match=words):
        asynchronous_run(**(arguments | change))
