import numpy as np
import pytest
import torch

from corollary.data.two_gaussians import two_gaussians_of_the_notes
from corollary.errors import InputError
from corollary.models.scratch import GD, train


def the_notes_run(steps, double_division):
    rng = np.random.RandomState(0)
    X, y = two_gaussians_of_the_notes(rng=rng)
    return train(X, y, steps=steps, rng=rng, double_division=double_division)


def test_after_ten_steps_the_corrected_run_is_done_and_the_printed_one_has_not_begun():
    assert the_notes_run(11, False).accuracies[10] == pytest.approx(0.949, abs=0.002)
    assert the_notes_run(11, True).accuracies[10] == pytest.approx(0.26, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("double, loss, accuracy", [(False, 0.130, 0.950), (True, 0.608, 0.934)])
def test_the_ends_of_both_runs_are_those_of_the_erratum(double, loss, accuracy):
    run = the_notes_run(500, double)
    assert run.losses[-1] == pytest.approx(loss, abs=0.002)
    assert run.accuracies[-1] == pytest.approx(accuracy, abs=0.002)


def test_the_run_is_the_one_torch_makes_of_the_same_start():
    rng = np.random.RandomState(3)
    X, y = two_gaussians_of_the_notes(50, rng=rng)
    state = rng.get_state()
    run = train(X, y, layer_dims=(2, 6, 1), steps=40, rng=rng)
    rng.set_state(state)
    W1 = torch.from_numpy(rng.standard_normal((2, 6)) / 2).requires_grad_(True)
    W2 = torch.from_numpy(rng.standard_normal((6, 1)) / np.sqrt(3.5)).requires_grad_(True)
    b1 = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    b2 = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    sgd = torch.optim.SGD([W1, b1, W2, b2], lr=0.5)
    x, t = torch.from_numpy(X), torch.from_numpy(y)
    for ours in run.losses:
        logits = torch.relu(x @ W1 + b1) @ W2 + b2
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, t)
        assert ours == pytest.approx(loss.item(), abs=1e-10)
        sgd.zero_grad()
        loss.backward()
        sgd.step()


def test_no_step_at_all_is_refused():
    with pytest.raises(InputError, match="steps >= 1"):
        train(
            np.ones((2, 2)), np.ones((2, 1)), optimizer=GD(), steps=0, rng=np.random.default_rng()
        )
