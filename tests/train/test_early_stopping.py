import math

import pytest
import torch
from torch import nn
from torch.nn.functional import mse_loss

from corollary.errors import InputError, InputTypeError
from corollary.train import Checkpoint, EarlyStopping, fit

X = torch.linspace(-1, 1, 8)[:, None]


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1)


def run(curve, epochs=50, **options):
    """A run whose validation errors are the given numbers; notes the weights at each check."""
    values, seen = iter(curve), []

    def validate(model):
        seen.append({k: v.clone() for k, v in model.state_dict().items()})
        return next(values)

    net = nn.Sequential(nn.Linear(1, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
    stop = EarlyStopping(validate, **options)
    history = fit(net, (X, 3 * X), mse_loss, sgd, epochs=epochs, callbacks=[stop])
    return net, stop, history, seen


def same(net, state):
    return all(torch.equal(v, state[k]) for k, v in net.state_dict().items())


def test_it_stops_after_patience_checks_and_gives_back_the_best_state_to_the_bit():
    net, stop, history, seen = run([5, 3, 4, 2, 2.5, 2.4, 2.3, 1], patience=3)
    assert history.epochs == 7 and stop.best == 2 and stop.best_epoch == 4
    assert same(net, seen[3]) and not same(net, seen[6])
    assert "best: 2 after epoch 4" in history.stopped
    assert history["validation"] == [5, 3, 4, 2, 2.5, 2.4, 2.3]


def test_the_best_state_comes_back_also_when_the_epochs_end_first():
    net, _, history, seen = run([3, 1, 2, 2], epochs=4, patience=10)
    assert history.stopped == "all 4 epochs done" and same(net, seen[1])


def test_without_restoring_the_last_state_stays():
    net, _, _, seen = run([1, 2, 2], patience=2, restore_best=False)
    assert same(net, seen[-1])


def test_small_improvements_do_not_count():
    _, stop, history, _ = run([1.0, 0.95, 0.9, 0.85], patience=2, min_delta=0.2)
    assert history.epochs == 3 and stop.best == 1.0


def test_nan_is_no_improvement():
    _, stop, history, _ = run([math.nan, 2.0, math.nan, math.nan], patience=2)
    assert history.epochs == 4 and stop.best == 2.0


def test_validation_data_are_valued_by_the_loss_of_the_run_in_evaluation_mode():
    net = nn.Sequential(nn.Linear(1, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    stop = EarlyStopping((X, 3 * X), patience=3)
    history = fit(net, (X, 3 * X), mse_loss, sgd, epochs=30, callbacks=[stop])
    with torch.no_grad():
        value = float(mse_loss(net.eval()(X), 3 * X))
    assert value == pytest.approx(min(history["validation"]))


def test_a_second_run_starts_with_a_fresh_memory():
    stop = EarlyStopping((X, 3 * X), patience=2)
    for _ in range(2):
        net = nn.Linear(1, 1)
        fit(net, (X, 3 * X), mse_loss, sgd, epochs=5, callbacks=[stop])
        with torch.no_grad():
            assert float(mse_loss(net(X), 3 * X)) == pytest.approx(stop.best)


def test_a_checkpoint_holds_the_last_state_from_which_the_run_can_go_on(tmp_path):
    path = tmp_path / "run.safetensors"
    whole, part = nn.Linear(1, 1), nn.Linear(1, 1)
    part.load_state_dict(whole.state_dict())
    fit(whole, (X, 3 * X), mse_loss, sgd, epochs=6)
    values = iter([1.0, 2.0, 3.0])
    stop = EarlyStopping(lambda model: next(values), patience=2)
    fit(part, (X, 3 * X), mse_loss, sgd, epochs=6, callbacks=[stop], checkpoint=Checkpoint(path))
    again = nn.Linear(1, 1)
    fit(again, (X, 3 * X), mse_loss, sgd, epochs=6, checkpoint=Checkpoint(path, resume=True))
    assert torch.equal(again.weight, whole.weight)


def test_patience_must_be_positive():
    with pytest.raises(InputError, match="patience"):
        EarlyStopping((X, X), patience=0)
    with pytest.raises(InputError, match="min_delta"):
        EarlyStopping((X, X), min_delta=-1.0)
    with pytest.raises(InputTypeError, match="validate"):
        EarlyStopping(3)
