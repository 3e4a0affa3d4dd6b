"""Mistakes that leave the loss curve plausible: each is told of a loop, and not of its twin."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import LBFGS, SGD, Adam, AdamW
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    LambdaLR,
    ReduceLROnPlateau,
    StepLR,
)
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from corollary.watch import told_calls
from corollary.watch.watcher import watch

pytestmark = pytest.mark.filterwarnings(
    "ignore:Detected call of `lr_scheduler.step", "ignore:`parameters` is an empty generator"
)
CASES = {}


def mistake(*causes):
    """Register ``loop(wrong)``, a generator that gives model and optimizers, then trains."""

    def register(loop):
        CASES[loop.__name__] = loop, causes
        return loop

    return register


def net(norm=False, dropout=0.0):
    layers = [nn.Linear(8, 16), *([nn.BatchNorm1d(16)] if norm else []), nn.ReLU()]
    return nn.Sequential(*layers, nn.Dropout(dropout), nn.Linear(16, 3))


def data(n=320):
    x = torch.randn(n, 8)
    return x, (x[:, 0] > 0).long() + (x[:, 1] > 0)


def loader(size=32, **options):
    return DataLoader(TensorDataset(*data()), size, **({"shuffle": True} | options))


def one_step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        right = torch.cat([model(a).argmax(1) for a in x.split(32)]) == y
    model.train()
    return float(right.float().mean())


@mistake("optimizer/never_steps")
def forgets_one_of_two_optimizers(wrong):
    model = net()
    first, last = Adam(model[0].parameters()), Adam(model[3].parameters())
    yield model, [first, last]
    for _ in range(50):
        x, y = data(16)
        last.zero_grad()
        one_step(model, first, x, y)
        if not wrong:
            last.step()


@mistake("loop/no_step")
def never_calls_step(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(30):
        x, y = data(16)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        if not wrong:
            optimizer.step()


@mistake("scaler/steps_skipped", "scaler/made_anew")
def makes_the_scaler_anew(wrong):
    model = net()
    optimizer, scaler = Adam(model.parameters()), None
    yield model, optimizer
    for k in range(40):
        if scaler is None or (wrong and k % 4 == 0):
            scaler = torch.amp.GradScaler("cpu", init_scale=2.0**26)
        x, y = data(16)
        optimizer.zero_grad()
        scaler.scale(F.cross_entropy(model(x).half().float(), y)).backward()
        scaler.step(optimizer)
        scaler.update()


@mistake("scaler/never_unscaled")
def steps_with_scaled_gradients(wrong):
    model = net()
    optimizer, scaler = SGD(model.parameters(), lr=1e-6), torch.amp.GradScaler("cpu")
    yield model, optimizer
    for _ in range(3):
        x, y = data(16)
        optimizer.zero_grad()
        scaler.scale(F.cross_entropy(model(x), y)).backward()
        if wrong:
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()


@mistake("loop/closure_changes_batch")
def draws_in_the_closure(wrong):
    model = net()
    optimizer = LBFGS(model.parameters(), lr=0.1, max_iter=4)
    yield model, optimizer
    for _ in range(6):
        x, y = data(64)

        def closure(x=x, y=y):
            optimizer.zero_grad()
            a, b = data(64) if wrong else (x, y)
            loss = F.cross_entropy(model(a), b)
            loss.backward()
            return loss

        optimizer.step(closure)


@mistake("loop/closure_is_random")
def drops_in_the_closure(wrong):
    model = net(dropout=0.3 if wrong else 0.0)
    optimizer = LBFGS(model.parameters(), lr=0.1, max_iter=4)
    yield model, optimizer
    for _ in range(6):
        x, y = data(64)

        def closure(x=x, y=y):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)


def clipped(wrong, when):
    model = net()
    parameters = model.parameters() if wrong and when == "empty" else list(model.parameters())
    optimizer = SGD(parameters, lr=0.1)
    some = list(model[3].parameters()) if wrong and when == "part" else parameters
    yield model, optimizer
    for _ in range(6):
        x, y = data(16)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        if wrong and when == "early":
            nn.utils.clip_grad_norm_(parameters, 1.0)
        loss.backward()
        if when != "early" or not wrong:
            nn.utils.clip_grad_norm_(some, 1.0)
        optimizer.step()


@mistake("clip/nothing")
def clips_an_empty_iterator(wrong):
    yield from clipped(wrong, "empty")


@mistake("clip/before_backward")
def clips_before_the_backward_pass(wrong):
    yield from clipped(wrong, "early")


@mistake("clip/part")
def clips_the_last_layer(wrong):
    yield from clipped(wrong, "part")


@mistake("optimizer/updates_rounded_away")
def keeps_weights_in_bfloat16(wrong):
    model = net().to(torch.bfloat16 if wrong else torch.float32)
    optimizer = AdamW(model.parameters(), lr=1e-4)
    yield model, optimizer
    for _ in range(8):
        x, y = data(16)
        optimizer.zero_grad()
        F.cross_entropy(model(x.to(model[0].weight.dtype)).float(), y).backward()
        optimizer.step()


@mistake("mode/frozen_batch_norm")
def freezes_batch_norm_by_its_weights(wrong):
    model = net(norm=True)
    model(data(64)[0])
    model[1].num_batches_tracked.fill_(100)  # as after a pretraining
    model[:2].requires_grad_(False)
    if not wrong:
        model[1].eval()
    optimizer = Adam(model[4].parameters())
    yield model, optimizer
    for _ in range(8):
        one_step(model, optimizer, *data(16))


@mistake("optimizer/frozen_parameters_move")
def freezes_with_gradients_of_zero(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for k in range(50):
        if k == 20:
            model[0].requires_grad_(False)
        x, y = data(16)
        optimizer.zero_grad(set_to_none=not wrong)
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


@mistake("optimizer/freezing_in_vain")
def freezes_a_module_by_an_attribute(wrong):
    model = net()
    model[0].requires_grad_(wrong)
    if wrong:
        model[0].requires_grad = False
    optimizer = Adam([p for p in model.parameters() if p.requires_grad])
    yield model, optimizer
    for _ in range(3):
        one_step(model, optimizer, *data(16))


@mistake("optimizer/rate_set_in_vain")
def sets_the_rate_of_nothing(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for k in range(40):
        if wrong:
            optimizer.lr = 1e-3 / (k + 2)
        else:
            optimizer.param_groups[0]["lr"] = 1e-3 / (k + 2)
        one_step(model, optimizer, *data(16))


@mistake("optimizer/betas_swapped")
def exchanges_the_betas(wrong):
    model = net()
    optimizer = Adam(model.parameters(), betas=(0.99, 0.9) if wrong else (0.9, 0.99))
    yield model, optimizer
    for _ in range(3):
        one_step(model, optimizer, *data(16))


@mistake("mode/batch_norm_momentum")
def keeps_the_last_batch_only(wrong):
    model = net(norm=True)
    model[1].momentum = 0.99 if wrong else 0.01
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(3):
        one_step(model, optimizer, *data(16))


@mistake("data/few_examples")
def weighs_classes_in_place_of_examples(wrong):
    x, y = data()
    model = net()
    optimizer = Adam(model.parameters())
    weights = 1 / y.bincount()
    sampler = WeightedRandomSampler(weights if wrong else weights[y], len(y))
    batches = DataLoader(TensorDataset(x, y), 32, sampler=sampler)
    yield model, optimizer
    for _ in range(3):
        for a, b in batches:
            one_step(model, optimizer, a, b)


@mistake("data/inputs_drift")
def standardizes_in_place(wrong):
    x, y = data()
    x = 5 * x + 3
    mean, spread = x.mean(), x.std()
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        seen = x.sub_(mean).div_(spread) if wrong else (x - mean) / spread
        for i in torch.randperm(len(x)).split(32):
            one_step(model, optimizer, seen[i], y[i])


@mistake("data/held_out_seen")
def validates_on_the_training_data(wrong):
    batches, held_out = loader(), data(160)
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(2):
        for x, y in batches:
            one_step(model, optimizer, x, y)
        evaluate(model, *(batches.dataset.tensors if wrong else held_out))


@mistake("data/imbalanced")
def has_one_class_almost_always(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(70):
        x, y = data(64)
        one_step(model, optimizer, x, y.where(torch.rand(64) < 0.05, 0) if wrong else y)


@mistake("schedule/plateau_mode")
def waits_for_a_smaller_accuracy(wrong):
    model, batches, held_out = net(), loader(), data(160)
    optimizer = Adam(model.parameters())
    plateau = ReduceLROnPlateau(optimizer, "min" if wrong else "max", patience=1)
    yield model, optimizer
    for _ in range(6):
        for x, y in batches:
            one_step(model, optimizer, x, y)
        plateau.step(evaluate(model, *held_out))


@mistake("schedule/plateau_per_batch")
def waits_for_a_batch(wrong):
    model, batches = net(), loader()
    optimizer = SGD(model.parameters(), lr=0.01)
    plateau = ReduceLROnPlateau(optimizer, factor=0.9, patience=2)
    yield model, optimizer
    for _ in range(4):
        for x, y in batches:
            loss = one_step(model, optimizer, x, y)
            if wrong:
                plateau.step(loss)
        if not wrong:
            plateau.step(loss)


@mistake("schedule/before_optimizer")
def schedules_first(wrong):
    model, batches = net(), loader()
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 1, 0.9)
    yield model, optimizer
    for _ in range(2):
        if wrong:
            scheduler.step()
        for x, y in batches:
            one_step(model, optimizer, x, y)
        if not wrong:
            scheduler.step()


@mistake("schedule/not_resumed")
def starts_the_schedule_again(wrong):
    model = net()
    before = Adam(model.parameters())
    for _ in range(12):
        one_step(model, before, *data(16))
    optimizer = Adam(model.parameters())
    optimizer.load_state_dict(before.state_dict())
    scheduler = CosineAnnealingLR(optimizer, 100)
    if not wrong:
        scheduler.load_state_dict({**scheduler.state_dict(), "last_epoch": 12})
    yield model, optimizer
    for _ in range(4):
        one_step(model, optimizer, *data(16))
        scheduler.step()


@mistake("schedule/warm_up_in_epochs")
def warms_up_in_epochs(wrong):
    model, batches = net(), loader()
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = LambdaLR(optimizer, lambda k: min(1.0, (k + 1) / 40))
    yield model, optimizer
    for _ in range(6):
        for x, y in batches:
            one_step(model, optimizer, x, y)
            if not wrong:
                scheduler.step()
        if wrong:
            scheduler.step()


def beside(wrong, update, norm=False, n=120):
    model = net(norm)
    average = copy.deepcopy(model).eval()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(n):
        one_step(model, optimizer, *data(16))
        with torch.no_grad():
            update(average, model)


def followed(average, model, weight=0.05, buffers=True):
    for a, p in zip(average.parameters(), model.parameters(), strict=True):
        a.lerp_(p, weight)
    if buffers:
        for a, p in zip(average.buffers(), model.buffers(), strict=True):
            a.copy_(p)


@mistake("loop/average_equals_model")
def exchanges_the_decay(wrong):
    yield from beside(wrong, lambda a, m: followed(a, m, 0.95 if wrong else 0.05), n=60)


@mistake("loop/copy_never_updated")
def never_updates_the_average(wrong):
    yield from beside(wrong, lambda a, m: None if wrong else followed(a, m))


@mistake("loop/average_without_buffers")
def leaves_buffers_out(wrong):
    yield from beside(wrong, lambda a, m: followed(a, m, buffers=not wrong), norm=True, n=30)


@mistake("loop/copy_by_reference")
def keeps_the_best_by_reference(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    best_state = None
    for k in range(30):
        one_step(model, optimizer, *data(16))
        if k == 10:
            best_state = model.state_dict() if wrong else copy.deepcopy(model.state_dict())
    model.load_state_dict(best_state)


@mistake("mode/teacher_in_training")
def lets_the_teacher_drop(wrong):
    teacher = net(dropout=0.5).train(wrong)
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        x, _ = data(16)
        with torch.no_grad():
            wanted = teacher(x)
        optimizer.zero_grad()
        F.mse_loss(model(x), wanted).backward()
        optimizer.step()


@mistake("loss/target_has_graph")
def differentiates_the_target(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        (x, _), (other, _) = data(16), data(16)
        wanted = 0.9 * model(other)
        optimizer.zero_grad()
        F.mse_loss(model(x), wanted if wrong else wanted.detach()).backward()
        optimizer.step()


@mistake("loss/softmax_over_batch")
def normalizes_over_the_batch(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        x, y = data(16)
        optimizer.zero_grad()
        F.nll_loss(model(x).log_softmax(0 if wrong else -1), y).backward()
        optimizer.step()


@mistake("loss/relu_on_logits")
def rectifies_the_logits(wrong):
    model = nn.Sequential(*net(), *([nn.ReLU()] if wrong else []))
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        one_step(model, optimizer, *data(16))


@mistake("loss/targets_out_of_range")
def squashes_the_output(wrong):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        x, y = data(16)
        optimizer.zero_grad()
        F.mse_loss(model(x).squeeze(1), y / (1 if wrong else 2)).backward()
        optimizer.step()


@mistake("loss/part_of_the_batch")
def compares_the_first_example(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        x, y = data(16)
        optimizer.zero_grad()
        last = 1 if wrong else 16
        F.cross_entropy(model(x)[:last], y[:last]).backward()
        optimizer.step()


@mistake("loss/starts_too_high")
def begins_sure_and_wrong(wrong):
    model = net()
    if wrong:
        nn.init.normal_(model[3].weight, std=30.0)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(3):
        one_step(model, optimizer, *data(16))


class Last(nn.Module):
    """The last state of a recurrent layer, for inputs (batch, time, features)."""

    def __init__(self, batch_first):
        super().__init__()
        self.layer, self.out = nn.GRU(2, 8, batch_first=batch_first), nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.layer(x.reshape(len(x), 4, 2))[0][:, -1])


@mistake("data/examples_mixed")
def takes_the_batch_for_time(wrong):
    model = Last(batch_first=not wrong)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        one_step(model, optimizer, *data(16))


class Mean(nn.Module):
    """Each place sees a mean over places: all, or those up to it."""

    def __init__(self, causal):
        super().__init__()
        self.causal, self.token, self.out = causal, nn.Embedding(8, 8), nn.Linear(8, 8)

    def forward(self, ids):
        h = self.token(ids)
        count = torch.arange(1, h.shape[1] + 1)[:, None]
        return self.out(h.cumsum(1) / count if self.causal else h + h.mean(1, keepdim=True))


@mistake("data/future_visible")
def sees_the_next_token(wrong):
    model = Mean(causal=not wrong)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        ids = torch.randint(0, 8, (8, 12))
        optimizer.zero_grad()
        z, y = model(ids)[:, :-1], ids[:, 1:]
        F.cross_entropy(z.reshape(-1, 8), y.reshape(-1)).backward()
        optimizer.step()


@mistake("units/input_ignored")
def computes_a_constant(wrong):
    model = net()
    if wrong:
        nn.init.constant_(model[0].bias, -1e3)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        one_step(model, optimizer, *data(16))


@mistake("loop/batches_not_used")
def learns_from_the_last_batch(wrong):
    model, batches = net(), loader()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    for _ in range(4):
        for x, y in batches:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            if not wrong:
                loss.backward()
                optimizer.step()
        if wrong:
            loss.backward()
            optimizer.step()


@mistake("accumulation/one_step_per_epoch")
def steps_after_the_epoch(wrong):
    model, batches = net(), loader()
    optimizer = SGD(model.parameters(), lr=0.01)
    yield model, optimizer
    for _ in range(3):
        optimizer.zero_grad()
        for x, y in batches:
            if wrong:
                F.cross_entropy(model(x), y).backward()
            else:
                one_step(model, optimizer, x, y)
        if wrong:
            optimizer.step()


def paced(make, per_batch, n=4, twice=False):
    model, batches = net(), loader(size=16)
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = make(optimizer)
    yield model, optimizer
    for _ in range(n):
        for x, y in batches:
            one_step(model, optimizer, x, y)
            for _ in range(per_batch + twice):
                scheduler.step()
        if not per_batch:
            scheduler.step()


@mistake("schedule/stepped_per_batch")
def halves_with_every_batch(wrong):
    yield from paced(lambda o: StepLR(o, 10, 0.5), wrong)


@mistake("schedule/stepped_per_batch")
def restarts_within_an_epoch(wrong):
    yield from paced(lambda o: CosineAnnealingWarmRestarts(o, 5), wrong)


@mistake("schedule/steps_more_often")
def schedules_twice(wrong):
    yield from paced(lambda o: CosineAnnealingLR(o, 500), True, n=2, twice=wrong)


@mistake("accumulation/divided_twice")
def divides_the_loss_twice(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    for k in range(24):
        x, y = data(16)
        (F.cross_entropy(model(x), y) / (16 if wrong else 4)).backward()
        if k % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


@mistake("data/target_in_inputs")
def trains_on_the_label(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        x, y = data(16)
        x[:, 5] = y if wrong else 0
        one_step(model, optimizer, x, y)


@mistake("data/targets_not_scaled")
def leaves_targets_in_dollars(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        x, _ = data(16)
        optimizer.zero_grad()
        F.mse_loss(model(x)[:, 0], (1 + x[:, 0]) * (1e5 if wrong else 1.0)).backward()
        optimizer.step()


@mistake("data/class_never_seen")
def shifts_labels_by_one(wrong):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4 if wrong else 3))
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(70):
        x, y = data(64)
        one_step(model, optimizer, x, y + wrong)


@mistake("scaler/missing")
def computes_in_float16_without_a_scale(wrong):
    model = net()
    optimizer, scaler = Adam(model.parameters()), torch.amp.GradScaler("cpu", enabled=not wrong)
    yield model, optimizer
    for _ in range(8):
        x, y = data(16)
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


@mistake("optimizer/same_layer_repeated")
def repeats_one_layer(wrong):
    layers = [nn.Linear(8, 8)] * 3 if wrong else [nn.Linear(8, 8) for _ in range(3)]
    model = nn.Sequential(*layers, nn.Linear(8, 3))
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(3):
        one_step(model, optimizer, *data(16))


@mistake("units/dropped")
def drops_what_should_be_kept(wrong):
    model = net(dropout=0.9 if wrong else 0.1)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(3):
        one_step(model, optimizer, *data(16))


@mistake("gradient/zero")
def weighs_a_loss_with_zero(wrong):
    model = nn.ModuleList([nn.Linear(8, 3), nn.Linear(8, 1)])
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(12):
        x, y = data(16)
        optimizer.zero_grad()
        second = F.mse_loss(model[1](x).squeeze(1), 1 + x[:, 0])
        (F.cross_entropy(model[0](x), y) + (0.0 if wrong else 1.0) * second).backward()
        optimizer.step()


@mistake("loop/weights_replaced")
def leaves_the_average_in_the_network(wrong):
    model, held_out = net(), data(64)
    average = [p.detach().clone() for p in model.parameters()]
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for k in range(60):
        one_step(model, optimizer, *data(16))
        if k % 10 == 9:
            own = [p.detach().clone() for p in model.parameters()]
            for a, p in zip(average, model.parameters(), strict=True):
                p.data.copy_(a.lerp_(p.data, 0.1))
            evaluate(model, *held_out)
            if not wrong:
                for a, p in zip(own, model.parameters(), strict=True):
                    p.data.copy_(a)


def said(name, wrong, **options):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        run = CASES[name][0](wrong)
        with watch(*next(run), to=None, quiet=True, **options) as watcher:
            next(run, None)
    unknown = "curvature is not measured: the stability limit of LBFGS is not known"
    assert [p for p in watcher.problems if p != unknown] == []
    return watcher.events


@pytest.mark.parametrize("name", CASES)
def test_the_mistake_is_told(name):
    assert set(CASES[name][1]) <= {e.cause for e in said(name, True)}


@pytest.mark.parametrize("name", CASES)
def test_the_same_loop_without_it_is_healthy(name):
    events = said(name, False)
    assert [e for e in events if e.severity.rank >= 2 or e.cause in CASES[name][1]] == []


def test_statistics_of_a_new_batch_norm_may_move_while_it_is_frozen():
    model = net(norm=True)
    model[:2].requires_grad_(False)
    optimizer = Adam(model[4].parameters())
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(8):
            one_step(model, optimizer, *data(16))
    assert [str(e.severity) for e in watcher.events] == ["low"]


def test_calls_are_told_while_a_watcher_is_open_only(monkeypatch):
    monkeypatch.setattr(told_calls, "_listeners", [])  # other tests may have left a watcher open
    for owner, name, own, _ in told_calls._PLACES:
        setattr(owner, name, own)

    def now():
        return [getattr(owner, name) for owner, name, *_ in told_calls._PLACES]

    model = net()
    with watch(model, SGD(model.parameters(), lr=0.1), to=None, quiet=True):
        assert now() == [told for *_, told in told_calls._PLACES]
    assert now() == [own for *_, own, _ in told_calls._PLACES]
