import itertools

import jaxtyping
import pytest
import torch

from corollary.data.patterns import random_patterns, with_flipped_bits
from corollary.errors import InputError, InputTypeError
from corollary.models.hopfield import Hopfield
from corollary.theory.connectionism.hopfield.storage import hebbian_weights


@pytest.fixture
def without_shape_checks(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


def stored(s=5, n=60, seed=0):
    P = random_patterns(s, n, rng=torch.Generator().manual_seed(seed))
    return P, Hopfield.store(P)


def test_storing_gives_the_hebbian_couplings():
    P, net = stored()
    assert torch.equal(net.W, hebbian_weights(P))
    assert not bool(net.b.any())


def test_damaged_patterns_are_repaired():
    P, net = stored()
    probes = with_flipped_bits(P, 0.1, rng=torch.Generator().manual_seed(1))
    assert torch.equal(net.async_run(probes).states, P)
    assert bool(net.is_fixed(P).all())


def test_a_step_takes_the_sign_with_the_lower_energy_and_ties_go_up():
    rng = torch.Generator().manual_seed(2)
    A = torch.randint(-2, 3, (6, 6), generator=rng).double()
    W, b = (A + A.T).fill_diagonal_(0), torch.randint(-1, 2, (6,), generator=rng).double()
    net = Hopfield(W, b)
    X = torch.tensor(list(itertools.product([-1.0, 1.0], repeat=6)), dtype=torch.float64)
    for i in range(6):
        up, down = X.clone(), X.clone()
        up[:, i], down[:, i] = 1, -1
        wanted = torch.where((net.energy(up) <= net.energy(down))[:, None], up, down)
        assert torch.equal(net.step(X, i), wanted)


@pytest.mark.parametrize("backend", ["torch", "numba"])
def test_a_run_is_its_steps(backend):
    P, net = stored(s=15)
    X = random_patterns(4, 60, rng=torch.Generator().manual_seed(3))
    by_steps = X
    for i in range(60):
        by_steps = net.step(by_steps, i)
    run = net.async_run(X, max_sweeps=1, backend=backend)
    assert torch.equal(run.states, by_steps)
    assert torch.allclose(run.energies[-1], net.energy(by_steps))
    assert torch.equal(run.flips[0], (X != by_steps).sum(1))


def test_one_state_and_batches_of_batches_are_taken():
    P, net = stored()
    assert net.async_run(P[0]).states.shape == (60,)
    run = net.async_run(P[:4].reshape(2, 2, 60))
    assert run.states.shape == (2, 2, 60)
    assert run.converged.shape == (2, 2)
    assert net.energy(P[:4].reshape(2, 2, 60)).shape == (2, 2)


def test_a_state_dict_carries_the_network():
    _, net = stored()
    other = stored(seed=9)[1]
    other.load_state_dict(net.state_dict())
    assert torch.equal(other.W, net.W)
    assert "n=60" in repr(net)


def test_the_input_is_not_changed():
    P, net = stored()
    X = with_flipped_bits(P, 0.2, rng=torch.Generator().manual_seed(4))
    before = X.clone()
    net.async_run(X), net.step(X, 0), net.sync_run(X)
    assert torch.equal(X, before)


def test_copying_neurons_swing_when_updated_at_once():
    net = Hopfield(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
    assert net.sync_run(torch.tensor([[1.0, -1.0]])).period.tolist() == [2]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Hopfield(torch.tensor([[0.0, 1.0], [2.0, 0.0]])), InputError, "symmetric"),
        (lambda: Hopfield(torch.eye(3)), InputError, "zero diagonal"),
        (lambda: Hopfield(torch.zeros(2, 3)), InputError, "square"),
        (lambda: Hopfield(torch.zeros(0, 0)), InputError, "square"),
        (lambda: Hopfield(torch.full((2, 2), torch.nan)), InputError, "finite"),
        (lambda: Hopfield(torch.zeros(2, 2), torch.zeros(3)), InputError, "one threshold"),
        (lambda: Hopfield([[0.0]]), InputTypeError, "list"),
        (lambda: Hopfield(torch.zeros(2, 2), scale=0.0), InputError, "scale"),
        (lambda: Hopfield.store(torch.zeros(0, 4)), InputError, "at least one pattern"),
        (lambda: Hopfield.store(torch.full((2, 4), 0.5)), InputError, "got 0.5"),
        (lambda: stored()[1].energy(torch.ones(59)), InputError, "60 entries"),
        (lambda: stored()[1].step(torch.ones(60), 60), InputError, "0..59"),
    ],
)
def test_what_is_no_network_or_state_is_refused_in_a_sentence(
    without_shape_checks, call, error, words
):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
