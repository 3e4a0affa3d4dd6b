"""Each mistake is told of a loop that makes it, and not of the same loop without it."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    LambdaLR,
    LinearLR,
    MultiStepLR,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)
from torch.utils.data import DataLoader, TensorDataset

from corollary.watch.watcher import watch

pytestmark = pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")
CASES = {}


def mistake(*causes):
    """Register ``loop(wrong)``, a generator that gives model and optimizers, then trains."""

    def register(loop):
        CASES[loop.__name__] = loop, causes
        return loop

    return register


def net(dropout=0.0, norm=False):
    layers = [nn.Linear(4, 16), *([nn.BatchNorm1d(16)] if norm else []), nn.ReLU()]
    return nn.Sequential(*layers, nn.Dropout(dropout), nn.Linear(16, 3))


def data(n=192):
    x = torch.randn(n, 4)
    return x, (x[:, 0] > 0).long() + (x[:, 1] > 0)


def loader(size=16):
    return DataLoader(TensorDataset(*data()), size, shuffle=True)


def one_step(model, optimizer, x, y):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()


def steps(model, optimizer, n=24):
    for _ in range(n):
        one_step(model, optimizer, *data(16))


@mistake("accumulation/cleared")
def clears_each_piece(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    for k in range(24):
        if wrong or k % 4 == 0:
            optimizer.zero_grad()
        x, y = data(8)
        (F.cross_entropy(model(x), y) / 4).backward()
        if k % 4 == 3:
            optimizer.step()


@mistake("accumulation/remainder")
def drops_the_remainder(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    count = 0
    for _ in range(6):
        if wrong:
            optimizer.zero_grad()
            count = 0
        for x, y in loader():
            (F.cross_entropy(model(x), y) / 5).backward()
            count += 1
            if count % 5 == 0:
                optimizer.step()
                optimizer.zero_grad()


@mistake("accumulation/single_pass")
def divides_for_nothing(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    for k in range(40):
        x, y = data(8)
        (F.cross_entropy(model(x), y) / 4).backward()
        if wrong or k % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


@mistake("clip/before_unscale")
def clips_scaled_gradients(wrong):
    model = net()
    optimizer, scaler = Adam(model.parameters()), torch.amp.GradScaler("cpu")
    yield model, optimizer
    for _ in range(16):
        x, y = data(16)
        optimizer.zero_grad()
        scaler.scale(F.cross_entropy(model(x), y)).backward()
        if not wrong:
            scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


@mistake("scaler/never_unscaled")
def steps_without_the_scaler(wrong):
    model = net()
    optimizer, scaler = Adam(model.parameters()), torch.amp.GradScaler("cpu")
    yield model, optimizer
    for _ in range(16):
        x, y = data(16)
        optimizer.zero_grad()
        scaler.scale(F.cross_entropy(model(x), y)).backward()
        optimizer.step() if wrong else scaler.step(optimizer)
        if not wrong:
            scaler.update()


@mistake("scaler/loss_not_scaled")
def scales_another_loss(wrong):
    model = net()
    optimizer, scaler = SGD(model.parameters(), lr=0.1), torch.amp.GradScaler("cpu")
    yield model, optimizer
    for _ in range(16):
        x, y = data(16)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaled = scaler.scale(loss)
        (loss if wrong else scaled).backward()
        scaler.step(optimizer)
        scaler.update()


@mistake("clip/after_step")
def clips_too_late(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    for _ in range(8):
        x, y = data(16)
        optimizer.zero_grad(set_to_none=False)
        F.cross_entropy(model(x), y).backward()
        if wrong:
            optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        if not wrong:
            optimizer.step()


@mistake("optimizer/missing_parameters")
def thaws_without_the_optimizer(wrong):
    model = net()
    model[0].requires_grad_(False)
    optimizer = SGD(model[-1].parameters(), lr=0.1)
    yield model, optimizer
    steps(model, optimizer, 12)
    model[0].requires_grad_(True)
    if not wrong:
        optimizer.add_param_group({"params": model[0].parameters()})
    steps(model, optimizer, 16)


class Listed(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        layers = [nn.Linear(4, 16), nn.Linear(16, 16)]
        self.layers = layers if hidden else nn.ModuleList(layers)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return self.head(x)


@mistake("optimizer/missing_parameters")
def keeps_layers_in_a_list(wrong):
    model = Listed(wrong)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    steps(model, optimizer, 14)


@mistake("optimizer/recreated")
def makes_the_optimizer_anew(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(6):
        if wrong:
            optimizer = Adam(model.parameters())
        steps(model, optimizer, 2)


@mistake("optimizer/decay_too_large")
def decays_everything_away(wrong):
    model = net()
    optimizer = AdamW(model.parameters(), lr=0.01, weight_decay=10.0 if wrong else 0.1)
    yield model, optimizer
    steps(model, optimizer, 4)


@mistake("optimizer/decay_in_adam")
def couples_the_decay(wrong):
    model = net()
    optimizer = (Adam if wrong else AdamW)(model.parameters(), weight_decay=0.1)
    yield model, optimizer
    steps(model, optimizer, 4)


@mistake("optimizer/frozen_parameters_move")
def freezes_with_a_gradient(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    steps(model, optimizer, 4)
    if wrong:
        model[0].requires_grad_(False)
    for _ in range(10):
        x, y = data(16)
        for p in model.parameters():
            p.grad = None if p.requires_grad else p.grad
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


@mistake("optimizer/group_without_rate")
def forgets_a_rate(wrong):
    model = net()
    groups = [{"params": model[0].parameters(), "lr": 0.0 if wrong else 0.01}]
    optimizer = SGD([*groups, {"params": model[-1].parameters()}], lr=0.1)
    yield model, optimizer
    steps(model, optimizer, 22)


@mistake("optimizer/eps_dominates")
def has_a_large_eps(wrong):
    model = net()
    optimizer = Adam(model.parameters(), eps=100.0 if wrong else 1e-8)
    yield model, optimizer
    steps(model, optimizer, 32)


@mistake("optimizer/updates_rounded_away")
def rounds_updates_away(wrong):
    model = net().to(torch.bfloat16 if wrong else torch.float32)
    optimizer = SGD(model.parameters(), lr=1e-6)
    yield model, optimizer
    for _ in range(4):
        x, y = data(16)
        one_step(model, optimizer, x.to(model[0].weight.dtype), y)


@mistake("lr/zero")
def divides_integers(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = LambdaLR(optimizer, lambda t: t // 100 if wrong else (t + 1) / 100)
    yield model, optimizer
    for _ in range(24):
        one_step(model, optimizer, *data(16))
        scheduler.step()


def scheduled(make, per_step, epochs, metric=False):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    batches = loader()
    scheduler = make(optimizer, epochs * len(batches))
    yield model, optimizer
    for _ in range(epochs):
        for x, y in batches:
            one_step(model, optimizer, x, y)
            if per_step:
                scheduler.step()
        if not per_step:
            scheduler.step(*([F.cross_entropy(model(x), y).item()] if metric else []))


@mistake("schedule/stepped_per_epoch")
def cycles_per_epoch(wrong):
    yield from scheduled(lambda o, n: OneCycleLR(o, 0.2, total_steps=n), not wrong, 5)


@mistake("schedule/stepped_per_epoch")
def counts_batches_per_epoch(wrong):
    yield from scheduled(lambda o, n: CosineAnnealingLR(o, T_max=n), not wrong, 10)


@mistake("schedule/ended_early")
def reaches_milestones_in_batches(wrong):
    yield from scheduled(lambda o, n: MultiStepLR(o, [3, 5]), wrong, 6)


@mistake("schedule/plateau_mode")
def waits_for_a_larger_loss(wrong):
    mode = "max" if wrong else "min"
    yield from scheduled(lambda o, n: ReduceLROnPlateau(o, mode, 0.9, 0), False, 10, metric=True)


@mistake("schedule/never_steps")
def never_steps_a_sequence(wrong):
    def two(optimizer, n):
        parts = [LinearLR(optimizer, 0.1, total_iters=5), CosineAnnealingLR(optimizer, T_max=n)]
        return SequentialLR(optimizer, parts, [5])

    run = scheduled(two, True, 4)
    if not wrong:
        yield from run
        return
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    batches, scheduler = loader(), two(optimizer, 50)
    yield model, optimizer
    for _ in range(4):
        for x, y in batches:
            one_step(model, optimizer, x, y)
    assert scheduler is not None


@mistake("schedule/other_optimizer")
def schedules_the_old_optimizer(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 10)
    if wrong:
        optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    yield model, optimizer
    for _ in range(22):
        one_step(model, optimizer, *data(16))
        scheduler.step()


@mistake("loop/step_without_backward")
def steps_twice(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        one_step(model, optimizer, *data(16))
        if wrong:
            optimizer.step()


@mistake("loop/backward_twice")
def goes_back_twice(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    for _ in range(6):
        x, y = data(16)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward(retain_graph=wrong)
        if wrong:
            loss.backward()
        optimizer.step()


@mistake("loop/graph_kept")
def keeps_outputs(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    kept = []
    yield model, optimizer
    for _ in range(48):
        x, y = data(16)
        z = model(x)
        optimizer.zero_grad()
        F.cross_entropy(z, y).backward()
        optimizer.step()
        kept.append(z if wrong else z.detach())


def adversaries(cut=False, mixed=False):
    maker, judge = nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    ours, theirs = Adam(maker.parameters()), Adam(judge.parameters())
    yield nn.ModuleList([maker, judge]), [ours, theirs]
    for _ in range(8):
        fake = maker(torch.randn(16, 2))
        theirs.zero_grad()
        (
            judge(fake if mixed else fake.detach()).mean() - judge(torch.randn(16, 4)).mean()
        ).backward()
        theirs.step()
        if not mixed:
            ours.zero_grad()
        fake = maker(torch.randn(16, 2))
        (-judge(fake.detach() if cut else fake).mean()).backward()
        ours.step()
        if mixed:
            ours.zero_grad()


@mistake("loop/graph_cut")
def detaches_the_maker(wrong):
    yield from adversaries(cut=wrong)


@mistake("loop/zero_grad_missing")
def mixes_two_losses(wrong):
    yield from adversaries(mixed=wrong)


@mistake("loop/weights_replaced")
def starts_again(wrong):
    model = net()
    optimizer = Adam(model.parameters(), lr=0.05)
    start = copy.deepcopy(model.state_dict())
    yield model, optimizer
    for _ in range(4):
        steps(model, optimizer, 16)
        if wrong:
            model.load_state_dict(start)


@mistake("loop/model_not_trained")
def makes_the_model_anew(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    steps(model, optimizer, 4)
    if wrong:
        model = net()
        optimizer = Adam(model.parameters())
    steps(model, optimizer, 22)


@mistake("loop/same_seed")
def seeds_each_step(wrong):
    model = net(dropout=0.2)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for x, y in [data(16) for _ in range(12)]:
        if wrong:
            torch.manual_seed(0)
        one_step(model, optimizer, x, y)


@mistake("units/identical")
def starts_from_constants(wrong):
    model = net()
    if wrong:
        nn.init.constant_(model[0].weight, 0.1)
        nn.init.constant_(model[0].bias, 0.1)
        nn.init.constant_(model[-1].weight, 0.1)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    steps(model, optimizer)


@mistake("mode/training_during_evaluation")
def evaluates_once_per_epoch(wrong):
    model = net(dropout=0.2)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        model.train()
        steps(model, optimizer, 8)
        model.train(wrong)
        with torch.no_grad():
            model(torch.randn(8, 4))


@mistake("mode/training_during_evaluation")
def evaluates_with_gradients(wrong):
    model = net(dropout=0.2)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(3):
        model.train()
        steps(model, optimizer, 8)
        model.train(wrong)
        for _ in range(8):
            model(torch.randn(8, 4))


@mistake("mode/eval_during_training")
def leaves_a_part_in_evaluation(wrong):
    model = net(dropout=0.2, norm=True)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(3):
        steps(model, optimizer, 6)
        model[1].train(not wrong)


class AlwaysDrops(nn.Module):
    def __init__(self, always):
        super().__init__()
        self.layer, self.always = nn.Linear(4, 3), always

    def forward(self, x):
        return self.layer(F.dropout(x, 0.2, self.always or self.training))


@mistake("mode/random_in_evaluation")
def drops_in_evaluation(wrong):
    model = AlwaysDrops(wrong)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    steps(model, optimizer, 4)
    model.eval()
    with torch.no_grad():
        for _ in range(4):
            model(torch.randn(8, 4))


@mistake("mode/batch_too_small")
def normalizes_two_examples(wrong):
    model = net(norm=True)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        one_step(model, optimizer, *data(2 if wrong else 16))


def with_loss(loss, outputs=3, targets=None):
    model = net()[:-1].append(nn.Linear(16, outputs))
    optimizer = SGD(model.parameters(), lr=0.01)
    yield model, optimizer
    for _ in range(8):
        x, y = data(16)
        optimizer.zero_grad()
        loss(model(x), y if targets is None else targets(x)).backward()
        optimizer.step()


@mistake("loss/softmax_twice")
def squashes_twice(wrong):
    yield from with_loss(lambda z, y: F.cross_entropy(z.softmax(1) if wrong else z, y))


@mistake("loss/logits_without_softmax")
def takes_logits_for_logarithms(wrong):
    yield from with_loss(lambda z, y: F.nll_loss(z if wrong else z.log_softmax(1), y))


@mistake("loss/broadcast")
def broadcasts(wrong):
    yield from with_loss(
        lambda z, y: F.mse_loss(*torch.broadcast_tensors(z if wrong else z[:, 0], y)),
        outputs=1,
        targets=lambda x: x[:, 0],
    )


@mistake("loss/maximized")
def forgets_the_sign(wrong):
    yield from with_loss(lambda z, y: (-1 if wrong else 1) * F.cross_entropy(z, y))


@mistake("loss/summed")
def sums_the_loss(wrong):
    how = "sum" if wrong else "mean"
    yield from with_loss(lambda z, y: F.cross_entropy(z, y, reduction=how))


@mistake("data/nothing_learned")
def exchanges_targets(wrong):
    model = net()
    optimizer = Adam(model.parameters(), lr=0.02)
    yield model, optimizer
    for _ in range(100):
        x, y = data(32)
        one_step(model, optimizer, x, y[torch.randperm(32)] if wrong else y)


@mistake("data/identical_inputs")
def repeats_one_input(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        x, y = data(16)
        one_step(model, optimizer, x[:1].expand(16, 4) if wrong else x, y)


@mistake("data/inputs_not_scaled")
def forgets_to_scale(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        x, y = data(16)
        one_step(model, optimizer, x * 255 if wrong else x, y)


@mistake("data/duplicated_batches")
def uses_batches_twice(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(16 if wrong else 32):
        x, y = data(16)
        for _ in range(1 + wrong):
            one_step(model, optimizer, x, y)


def tokens(shift):
    model = nn.Sequential(nn.Embedding(8, 8), nn.Linear(8, 8))
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        ids = torch.randint(0, 8, (8, 12))
        z, y = model(ids)[:, : 12 - shift], ids[:, shift:]
        optimizer.zero_grad()
        F.cross_entropy(z.reshape(-1, 8), y.reshape(-1)).backward()
        optimizer.step()


@mistake("data/targets_are_inputs")
def predicts_its_own_token(wrong):
    yield from tokens(0 if wrong else 1)


@mistake("data/labels_shifted")
def shifts_twice(wrong):
    yield from tokens(2 if wrong else 1)


@mistake("data/padding_counted")
def counts_padding(wrong):
    model = nn.Sequential(nn.Embedding(8, 8), nn.Linear(8, 8))
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(8):
        ids = torch.randint(1, 8, (8, 12))
        ids[:, 7:] = 0
        y = ids[:, 1:] if wrong else ids[:, 1:].where(ids[:, 1:] > 0, -100)
        optimizer.zero_grad()
        F.cross_entropy(model(ids)[:, :-1].reshape(-1, 8), y.reshape(-1)).backward()
        optimizer.step()


def said(name, wrong, **options):
    torch.manual_seed(0)
    run = CASES[name][0](wrong)
    with watch(*next(run), to=None, quiet=True, **options) as watcher:
        next(run, None)
    assert watcher.problems == []
    return watcher.events


@pytest.fixture(autouse=True)
def same_numbers():
    with torch.random.fork_rng(devices=[]):
        yield


@pytest.mark.parametrize("name", CASES)
def test_the_mistake_is_told(name):
    assert set(CASES[name][1]) <= {e.cause for e in said(name, True)}


@pytest.mark.parametrize("name", CASES)
def test_the_same_loop_without_it_is_healthy(name):
    events = said(name, False)
    assert [e for e in events if e.severity.rank >= 2 or e.cause in CASES[name][1]] == []


def test_a_resumed_run_without_the_state_of_its_optimizer_is_told():
    model = net()
    optimizer = Adam(model.parameters())
    with watch(model, optimizer, to=None, quiet=True, step=100) as watcher:
        steps(model, optimizer, 2)
    assert [e.cause for e in watcher.events] == ["optimizer/state_lost"]


def test_a_warm_up_of_the_whole_run_is_told():
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = LinearLR(optimizer, 0.01, total_iters=1000)
    with watch(model, optimizer, to=None, quiet=True, steps=50) as watcher:
        for _ in range(50):
            one_step(model, optimizer, *data(16))
            scheduler.step()
    assert "schedule/warm_up_too_long" in {e.cause for e in watcher.events}


@pytest.mark.parametrize("kind", ["attack", "sharpness"])
def test_gradients_for_another_purpose_may_be_cleared(kind):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.05)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in range(8):
            x, y = data(16)
            x.requires_grad_(kind == "attack")
            F.cross_entropy(model(x), y).backward()
            if kind == "sharpness":
                with torch.no_grad():
                    model[0].weight.add_(model[0].weight.grad, alpha=0.01)
            moved = x + 0.01 * x.grad.sign() if kind == "attack" else x
            one_step(model, optimizer, moved.detach(), y)
    assert [e for e in watcher.events if e.severity.rank >= 2] == []
