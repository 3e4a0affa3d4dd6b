"""Networks beside the one that is trained: averages of weights, teachers, backups."""

import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn

from loops.fourth.material import Averaged, trained_on_digits
from loops.healthy.plain import epoch_of
from loops.material import cnn, mlp
from loops.planted import Watch
from loops.third.material import batches, split_digits
from loops.third.real import accuracy


def average_in_the_model(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits(images=True)
    model = Averaged(cnn())
    optimizer = Adam(model.net.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(6):
        model.train()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            model.follow(0.95)
        accuracy(model.average, x_test, y_test)


def average_beside_the_model(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.98))
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(10):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            ema.update_parameters(model)
        accuracy(ema, x_test, y_test)


def average_of_the_last_epochs(watch: Watch) -> None:
    """Stochastic weight averaging, with statistics computed at the end."""
    x, y, x_test, y_test = split_digits(images=True)
    model, data = cnn(), batches(x, y)
    swa_model = AveragedModel(model)
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = SWALR(optimizer, swa_lr=0.02, anneal_epochs=2)
    watch(model, optimizer)
    for epoch in range(9):
        epoch_of(model, optimizer, data)
        if epoch >= 5:
            swa_model.update_parameters(model)
            scheduler.step()
    update_bn(data, swa_model)
    accuracy(swa_model, x_test, y_test)


def weights_swapped_for_evaluation(watch: Watch) -> None:
    """The average is put in for the evaluation, and the weights are put back."""
    x, y, x_test, y_test = split_digits()
    model = mlp()
    shadow = {name: p.detach().clone() for name, p in model.named_parameters()}
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            for name, p in model.named_parameters():
                shadow[name].lerp_(p.detach(), 0.02)
        backup = {name: p.detach().clone() for name, p in model.named_parameters()}
        with torch.no_grad():
            for name, p in model.named_parameters():
                p.copy_(shadow[name])
        accuracy(model, x_test, y_test)
        with torch.no_grad():
            for name, p in model.named_parameters():
                p.copy_(backup[name])


def distillation(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits(images=True)
    teacher = trained_on_digits(x, y, dropout=0.2).eval().requires_grad_(False)
    student = cnn()
    optimizer = Adam(student.parameters(), lr=2e-3)
    watch(student, optimizer)
    for _ in range(5):
        student.train()
        for a, b in batches(x, y):
            with torch.no_grad():
                wanted = teacher(a)
            out = student(a)
            soft = F.kl_div(
                F.log_softmax(out / 2, 1), F.softmax(wanted / 2, 1), reduction="batchmean"
            )
            optimizer.zero_grad()
            (4 * soft + F.cross_entropy(out, b)).backward()
            optimizer.step()
        accuracy(student, x_test, y_test)


def mean_teacher(watch: Watch) -> None:
    """Consistency of a student and of the average of its weights, on noisy images."""
    x, y, x_test, y_test = split_digits()
    student = mlp(dropout=0.1)
    teacher = copy.deepcopy(student).requires_grad_(False).eval()
    optimizer = Adam(student.parameters(), lr=2e-3)
    watch(student, optimizer)
    for _ in range(8):
        student.train()
        for a, b in batches(x, y):
            out = student(a + 0.1 * torch.randn_like(a))
            with torch.no_grad():
                wanted = teacher(a + 0.1 * torch.randn_like(a)).softmax(1)
            loss = F.cross_entropy(out[:16], b[:16]) + F.mse_loss(out.softmax(1), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for mean, p in zip(teacher.parameters(), student.parameters(), strict=True):
                    mean.lerp_(p, 0.05)
        accuracy(student, x_test, y_test)


class Adapted(nn.Module):
    """A linear layer that stays, and a product of two thin matrices that learns."""

    def __init__(self, layer: nn.Linear, rank: int = 4) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x) + self.up(self.down(x))


def low_rank_adapters(watch: Watch) -> None:
    x, y, x_test, y_test = split_digits()
    model = mlp(width=128)
    first = Adam(model.parameters(), lr=2e-3)
    for _ in range(3):
        epoch_of(model, first, batches(x[:, :].flip(1), y))
    for k, layer in enumerate(model):
        if isinstance(layer, nn.Linear):
            model[k] = Adapted(layer)
    optimizer = AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        epoch_of(model, optimizer, batches(x, y))
        accuracy(model, x_test, y_test)


LOOPS = (
    average_in_the_model,
    average_beside_the_model,
    average_of_the_last_epochs,
    weights_swapped_for_evaluation,
    distillation,
    mean_teacher,
    low_rank_adapters,
)
