"""Running statistics, short numbers, early stopping and runs that begin again."""

import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from loops.material import cnn, mlp
from loops.planted import Watch
from loops.third.material import batches, perceptron, split_digits, table
from loops.third.real import Ended, RealBug, accuracy, explained


def running_averages_stand_still(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits(images=True)
    model = cnn()
    for layer in model:
        if broken and isinstance(layer, nn.BatchNorm2d):
            layer.momentum = 0.0
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(6):
        model.train()
        for a, b in batches(8 * x + 20, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            model(8 * x_test + 20)
    return Ended(accuracy(model, 8 * x_test + 20, y_test))


def half_precision_without_scaling(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=2e-3, eps=1e-12)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**20, enabled=not broken)
    watch(model, optimizer)
    for _ in range(6):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                out = model(a)
            loss = 1e-6 * F.cross_entropy(out.float(), b)  # in the unit of the other terms
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    return Ended(accuracy(model, x_test, y_test))


def validation_not_scaled(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    x, x_test = 20 + 3 * x, 20 + 3 * x_test  # as they come from the files
    mean, spread = x.mean(), x.std()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    checked = x_test if broken else (x_test - mean) / spread
    for _ in range(6):
        model.train()
        for a, b in batches((x - mean) / spread, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            F.cross_entropy(model(checked), y_test)
    return Ended(accuracy(model, checked, y_test))


def patience_used_up(watch: Watch, broken: bool) -> Ended:
    x, y = table(640)
    x_val, y_val = table(40)
    model = perceptron(8, 1)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    best, waited = float("inf"), 0
    for _ in range(60):
        for a, b in batches(x, y + 0.5 * torch.randn_like(y), size=16):
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            loss = float(F.mse_loss(model(x_val), y_val))
        model.train()
        if loss < best:
            best = loss
            if not broken:
                waited = 0
        else:
            waited += 1
        if waited >= 6:
            break
    return Ended(explained(model, *table(1000)))


def each_job_begins_alike(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    saved = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
    for job in range(60):  # each is stopped after two batches, and saved
        torch.manual_seed(1337 if broken else 1337 + job)
        model.load_state_dict(saved[0])
        optimizer.load_state_dict(saved[1])
        for (a, b), _ in zip(batches(x, y, size=16), range(2), strict=False):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        saved = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
    return Ended(accuracy(model, x_test, y_test))


BUGS = (
    RealBug(
        "batch norm with momentum 0",
        "https://github.com/Cadene/pretrained-models.pytorch/issues/5 (2017)",
        "With a momentum of 0 the running statistics stay at 0 and 1, and evaluation is another "
        "function than training.",
        (
            "batch norm|batchnorm|running|momentum|statistics",
            "momentum|never|not updat|do not follow|not follow|differ|stand still|unchanged|stale"
            "|initial|not match|far from|mismatch|frozen|do not move|not move",
        ),
        running_averages_stand_still,
        bad=0.7,
        good=0.93,
    ),
    RealBug(
        "float16 without loss scaling",
        "https://github.com/engichang1467/Open-Rig3R/issues/35 (2026)",
        "Autocast computes in float16 and no GradScaler scales the loss, so small gradients "
        "round to zero.",
        (
            "float16|half|underflow|precision|scal|fp16|zero|vanish|no update|not move|never move",
            "gradient|loss|scaler|underflow|weights|parameters",
        ),
        half_precision_without_scaling,
        bad=0.6,
        good=0.9,
    ),
    RealBug(
        "validation data not scaled",
        "https://github.com/nttcslab/byol-a/issues/5 (2021)",
        "The data of the training are standardized, those of the validation are not.",
        (
            "validation|evaluation|test",
            "scal|standardi|normali|range|distribution|mean|spread|inputs differ|different inputs"
            "|other inputs|preprocess|statistics|shift|magnitude",
        ),
        validation_not_scaled,
        bad=0.7,
        good=0.9,
    ),
    RealBug(
        "early stopping: counter never reset",
        "https://github.com/modelscope/ms-swift/pull/5326 (2025)",
        "Patience counts all epochs without a new best loss, not those in a row, so the run ends "
        "early.",
        (
            "early stop|stopp|patience|ended|ends|too short|short run|still falling|still improv"
            "|undertrain|underfit",
            "early|patience|too soon|counter|still|not converged|premature|improv|falling|decreas",
        ),
        patience_used_up,
        bad=0.84,
        good=0.86,
    ),
    RealBug(
        "resumed with the seed of the start",
        "https://github.com/karpathy/nanoGPT/issues/467 (2024)",
        "Each job sets the same seed when it resumes, so all jobs train on the same batches.",
        (
            "same batch|same data|same example|same rows|same order|same input|same seed|seed"
            "|repeat|again and again|identical|seen before|few examples|few batches|part of the"
            " data|subset|share of the data",
        ),
        each_job_begins_alike,
        bad=0.82,
        good=0.85,
    ),
)
