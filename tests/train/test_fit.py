import itertools
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from corollary.errors import UnknownNameError
from corollary.train import Callback, Measure, StopBelow, batch_indices, fit, steps

SGD = partial(torch.optim.SGD, lr=0.1)


def cloud(n=23, d=4, dtype=torch.float64):
    rng = torch.Generator().manual_seed(1)
    x = torch.randn(n, d, generator=rng, dtype=dtype)
    return x, x @ torch.arange(1.0, d + 1, dtype=dtype)[:, None]


def network(*extra, d=4, dtype=torch.float64):
    rng = torch.Generator().manual_seed(2)
    model = nn.Sequential(nn.Linear(d, 8), nn.Tanh(), *extra, nn.Linear(8, 1)).to(dtype)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(0.5 * torch.randn(p.shape, generator=rng, dtype=dtype))
    return model


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_fit_is_the_loop_one_would_write_by_hand():
    x, y = cloud()
    ours, theirs = network(), network()
    optimizer = torch.optim.SGD(theirs.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for epoch, t in itertools.product(range(3), range(5)):
        rows = batch_indices(23, 5, seed=7, epoch=epoch, step=t)
        optimizer.zero_grad()
        loss = F.mse_loss(theirs(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    sgd = partial(torch.optim.SGD, lr=0.1, momentum=0.9)
    history = fit(ours, (x, y), F.mse_loss, sgd, epochs=3, batch_size=5, rng=7)
    assert torch.equal(weights(ours), weights(theirs))
    assert history.losses == losses
    assert (history.steps, history.epochs, history.seed) == (15, 3, 7)


def test_full_batch_descent_on_least_squares_follows_the_closed_form():
    x, y = cloud()
    line = nn.Linear(4, 1, bias=False).double()
    nn.init.zeros_(line.weight)
    fit(line, (x, y), F.mse_loss, SGD, steps=30)
    A, b = 2 * x.T @ x / 23, 2 * x.T @ y / 23  # w_T = (I - (I - ηA)^T) A⁻¹ b
    I = torch.eye(4, dtype=torch.float64)
    w = (I - torch.linalg.matrix_power(I - 0.1 * A, 30)) @ torch.linalg.solve(A, b)
    torch.testing.assert_close(line.weight.detach().T, w, rtol=1e-12, atol=1e-12)


def test_the_same_seed_gives_the_same_bits_and_another_seed_others():
    runs = []
    for seed, noise in [(0, 5), (0, 6), (1, 5)]:
        torch.manual_seed(noise)
        model = network(nn.Dropout(0.3))
        fit(model, cloud(), F.mse_loss, SGD, steps=12, batch_size=5, rng=seed)
        runs.append(weights(model))
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


def test_dropout_noise_differs_from_step_to_step():
    seen = []
    model = network(nn.Dropout(0.5))
    model[2].register_forward_hook(lambda _, __, out: seen.append(out == 0))
    fit(model, cloud(), F.mse_loss, SGD, steps=3)
    assert not torch.equal(seen[0], seen[1]) and not torch.equal(seen[1], seen[2])


def test_a_generator_gives_the_seed():
    def run():
        rng = torch.Generator().manual_seed(3)
        return [
            fit(network(), cloud(), F.mse_loss, SGD, steps=3, batch_size=4, rng=rng) for _ in "ab"
        ]

    first, second = run(), run()
    assert [h.losses for h in first] == [h.losses for h in second]
    assert first[0].seed != first[1].seed


def test_no_global_state_is_changed():
    a, b = network(nn.Dropout(0.5)), network(nn.Dropout(0.5))
    before = torch.get_rng_state(), torch.get_num_threads(), torch.get_default_dtype()
    fit(a, cloud(), F.mse_loss, SGD, epochs=2, batch_size=4)
    loader = DataLoader(torch.utils.data.TensorDataset(*cloud()), batch_size=4, shuffle=True)
    fit(b, loader, F.mse_loss, SGD, epochs=2)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (torch.get_num_threads(), torch.get_default_dtype()) == before[1:]


def test_layers_come_back_in_their_modes():
    model = network(nn.BatchNorm1d(8).double())
    model.train()
    model[2].eval()
    seen = []
    fit(
        model,
        cloud(),
        F.mse_loss,
        SGD,
        steps=2,
        callbacks=[lambda loop: seen.append([m.training for m in loop.model.modules()])],
    )
    assert all(seen[0])
    assert model.training and model[0].training and not model[2].training


def test_evaluation_within_a_run_does_not_leave_the_model_in_evaluation_mode():
    model = network(nn.Dropout(0.5))
    modes = []
    model[2].register_forward_hook(lambda m, _, __: modes.append(m.training))
    fit(
        model,
        cloud(),
        F.mse_loss,
        SGD,
        steps=3,
        callbacks=[lambda loop: loop.model.eval() and None],
    )
    assert modes == [True] * 3


def test_without_train_mode_dropout_stays_off():
    model = network(nn.Dropout(0.5)).eval()
    plain = network()
    fit(model, cloud(), F.mse_loss, SGD, steps=3, train_mode=False)
    fit(plain, cloud(), F.mse_loss, SGD, steps=3)
    assert torch.equal(weights(model), weights(plain))


@pytest.mark.parametrize("k", [2, 3, 7, 50])
def test_a_batch_in_pieces_gives_the_update_of_the_whole(k):
    whole, pieces = network(), network()
    a = fit(whole, cloud(), F.mse_loss, SGD, epochs=2, batch_size=9)
    b = fit(pieces, cloud(), F.mse_loss, SGD, epochs=2, batch_size=9, accumulate=k)
    torch.testing.assert_close(weights(pieces), weights(whole), rtol=1e-12, atol=1e-13)
    assert b.losses == pytest.approx(a.losses, rel=1e-12)


def labels_with_gaps():
    x, _ = cloud()
    return x, torch.tensor([0, 1, -100, 2, 1, -100, -100] * 3 + [0, 1])


def summed(output, target):
    return F.cross_entropy(output, target, reduction="sum"), (target != -100).sum()


@pytest.mark.parametrize(
    "loss",
    [
        nn.CrossEntropyLoss(),
        F.cross_entropy,
        nn.CrossEntropyLoss(weight=torch.tensor([1.0, 5.0, 0.2], dtype=torch.float64)),
        partial(F.cross_entropy, label_smoothing=0.1),
        nn.CrossEntropyLoss(reduction="sum"),
        summed,
    ],
)
def test_pieces_with_unequal_counts_are_sum_over_count_not_mean_of_means(loss):
    def run(k):
        torch.manual_seed(0)
        model = nn.Linear(4, 3).double()
        with torch.no_grad():
            model.weight.fill_(0.1).mul_(torch.arange(3.0)[:, None])
            model.bias.zero_()
        return model, fit(
            model, labels_with_gaps(), loss, partial(SGD, lr=0.01), steps=4, accumulate=k
        )

    (whole, a), (pieces, b) = run(1), run(4)
    torch.testing.assert_close(weights(pieces), weights(whole), rtol=1e-11, atol=1e-13)
    assert b.losses == pytest.approx(a.losses, rel=1e-11)


def test_several_inputs_and_no_target_are_possible():
    class Sum(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(2))

        def forward(self, a, b):
            return self.w[0] * a + self.w[1] * b

    a, b = torch.tensor([1.0, 2.0, 0.0]), torch.tensor([0.0, 1.0, 3.0])
    model = Sum()
    fit(model, (a, b, 2 * a - b), F.mse_loss, SGD, steps=300)
    torch.testing.assert_close(model.w.detach(), torch.tensor([2.0, -1.0]), rtol=1e-4, atol=1e-4)
    line = nn.Linear(1, 1, bias=False)
    fit(line, a[:, None], lambda out: (out - 1).square().mean(), SGD, steps=100)
    assert line.weight.item() == pytest.approx(3 / 5, rel=1e-4)  # Σa / Σa²


def test_a_loader_is_a_pure_function_of_the_seed():
    def run(generator, noise):
        torch.manual_seed(noise)
        data = torch.utils.data.TensorDataset(*cloud())
        loader = DataLoader(data, batch_size=4, shuffle=True, generator=generator)
        return fit(network(), loader, F.mse_loss, SGD, epochs=2).losses

    assert run(None, 0) == run(None, 1)
    rng = torch.Generator().manual_seed(9)
    assert run(rng, 0) == run(rng, 1)
    assert len(run(None, 0)) == 12


def test_a_loader_without_length_works():
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(zip(*cloud(), strict=True))

    history = fit(network(), DataLoader(Stream(), batch_size=5), F.mse_loss, SGD, epochs=2)
    assert (history.steps, history.epochs, history[4].last) == (10, 2, True)


def test_an_optimizer_with_a_closure_works():
    x, y = cloud()
    line = nn.Linear(4, 1).double()
    lbfgs = partial(torch.optim.LBFGS, line_search_fn="strong_wolfe")
    fit(line, (x, y), F.mse_loss, lbfgs, steps=3)
    expected = torch.arange(1.0, 5, dtype=torch.float64)[None]
    torch.testing.assert_close(line.weight.detach(), expected, rtol=1e-5, atol=1e-5)


def test_a_schedule_is_a_function_of_the_step_and_the_rate_is_given_back():
    model, rates = network(), []
    optimizer = SGD(model.parameters())
    fit(
        model,
        cloud(),
        F.mse_loss,
        optimizer,
        steps=4,
        schedule=lambda t: 1 / (1 + t),
        callbacks=[lambda loop: rates.append(loop.optimizer.param_groups[0]["lr"])],
    )
    assert rates == pytest.approx([0.1, 0.05, 0.1 / 3, 0.025])
    assert optimizer.param_groups[0]["lr"] == 0.1


def test_a_scheduler_of_torch_is_stepped():
    model = network()
    optimizer = SGD(model.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
    fit(model, cloud(), F.mse_loss, optimizer, steps=4, schedule=schedule)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.025)


def test_clipping_bounds_the_length_of_the_step():
    model = network()
    before = weights(model)
    fit(
        model, cloud(), lambda o, t: 1e6 * F.mse_loss(o, t), partial(SGD, lr=1.0), steps=1, clip=0.5
    )
    assert (weights(model) - before).norm().item() == pytest.approx(0.5, rel=1e-5)


def test_frozen_parameters_stay_and_gather_no_gradient():
    model = network()
    model[0].weight.requires_grad_(False)
    before = model[0].weight.clone()
    fit(model, cloud(), F.mse_loss, SGD, steps=3)
    assert torch.equal(model[0].weight, before)


def test_the_user_may_own_the_loop():
    model = network().eval()
    run = steps(model, cloud(), F.mse_loss, SGD, batch_size=5)
    records = list(itertools.islice(run, 7))
    run.close()
    assert [r.step for r in records] == list(range(7))
    assert [r.epoch for r in records] == [0] * 5 + [1] * 2
    assert [r.last for r in records] == [False] * 4 + [True] + [False] * 2
    assert not model.training
    whole = fit(network(), cloud(), F.mse_loss, SGD, batch_size=5, steps=7)
    assert [r.loss for r in records] == whole.losses


def test_callbacks_hear_steps_and_epochs_and_may_stop():
    class Counter(Callback):
        steps = epochs = 0

        def on_step(self, loop):
            self.steps += 1

        def on_epoch(self, loop):
            self.epochs += 1
            return "two are enough" if self.epochs == 2 else None

    counter = Counter()
    history = fit(network(), cloud(), F.mse_loss, SGD, batch_size=5, epochs=9, callbacks=[counter])
    assert (counter.steps, counter.epochs, history.steps) == (10, 2, 10)
    assert history.stopped == "a callback asked to stop: two are enough"


def test_an_error_in_a_callback_leaves_model_and_rate_as_they_were():
    def broken(loop):
        raise KeyboardInterrupt

    model = network().eval()
    optimizer = SGD(model.parameters())
    state = torch.get_rng_state()
    with pytest.raises(KeyboardInterrupt):
        fit(
            model,
            cloud(),
            F.mse_loss,
            optimizer,
            steps=9,
            schedule=lambda t: 0.5,
            callbacks=[broken],
        )
    assert not model.training and optimizer.param_groups[0]["lr"] == 0.1
    assert torch.equal(torch.get_rng_state(), state)


def test_sparse_gradients_can_be_accumulated():
    def run(k):
        table = nn.Embedding(6, 2, sparse=True)
        nn.init.ones_(table.weight)
        ids = torch.tensor([0, 1, 1, 5, 2])
        fit(table, (ids, torch.zeros(5, 2)), F.mse_loss, SGD, steps=3, accumulate=k)
        return table.weight.detach()

    torch.testing.assert_close(run(1), run(2))


def test_measures_are_recorded_in_evaluation_mode():
    modes = []

    def norm(model):
        modes.append(model.training)
        return weights(model).norm()

    model = network()
    history = fit(
        model, cloud(), F.mse_loss, SGD, steps=10, callbacks=[Measure(every=5, norm=norm)]
    )
    assert history.points("norm")[0] == [4, 9]
    assert history["norm"][-1] == pytest.approx(float(weights(model).norm()))
    assert modes == [False, False]
    assert {mark.label for mark in history.figure().marks} == {"loss", "norm"}
    with pytest.raises(UnknownNameError, match="it contains loss, norm"):
        history["width"]


def test_a_run_can_stop_at_a_loss():
    history = fit(network(), cloud(), F.mse_loss, SGD, steps=5000, callbacks=[StopBelow(0.5)])
    assert history.losses[-1] <= 0.5 < min(history.losses[:-1])
    assert "is at most 0.5" in history.stopped


def test_history_is_indexable_like_the_steps_it_holds():
    history = fit(network(), cloud(), F.mse_loss, SGD, batch_size=5, epochs=2)
    assert [r.epoch for r in history] == [0] * 5 + [1] * 5
    assert history[-1].step == 9 and history[4].last and not history[5].last
    assert history["loss"] == history.losses and len(history) == 10
    with pytest.raises(IndexError):
        history[10]


def test_the_bar_is_on_standard_error_and_only_when_asked(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    fit(network(), cloud(), F.mse_loss, SGD, steps=2)
    assert capsys.readouterr() == ("", "")
    fit(network(), cloud(), F.mse_loss, SGD, epochs=2, batch_size=5, progress=True)
    out, err = capsys.readouterr()
    assert out == "" and "/10" in err and "loss" in err


def test_a_call_of_ones_own_values_the_batch():
    def perturbed(model, loss, x, y):
        return loss(model(x + 1), y)

    x, y = cloud()
    a = fit(network(), (x, y), F.mse_loss, SGD, steps=3, call=perturbed)
    b = fit(network(), (x + 1, y), F.mse_loss, SGD, steps=3)
    assert a.losses == b.losses


def test_training_works_under_no_grad():
    with torch.no_grad():
        assert fit(network(), cloud(), F.mse_loss, SGD, steps=2).steps == 2
