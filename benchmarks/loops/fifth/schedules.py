"""Learning rates that come back, are multiplied twice, or follow noise; a closure that adds up."""

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim import LBFGS, SGD, Adam
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, ReduceLROnPlateau

from loops.material import mlp
from loops.planted import Watch
from loops.third.material import batches, perceptron, split_digits, table
from loops.third.real import Ended, RealBug, accuracy, explained


def cosine_of_the_warm_up(watch: Watch, broken: bool) -> Ended:
    x, y = table(1280)
    model = perceptron(8, 1)
    total, warm_up = 12 * 80, 64
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = CosineAnnealingLR(optimizer, T_max=warm_up if broken else total)
    watch(model, optimizer)
    for _ in range(12):
        for a, b in batches(x, y + 0.7 * torch.randn_like(y), size=16):
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            optimizer.step()
            scheduler.step()
    return Ended(explained(model, *table(1000)))


def rate_twice(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    rate = 0.03
    optimizer = SGD(model.parameters(), lr=rate, momentum=0.9)

    def factor(step: int) -> float:
        decay = (1 + 1e-3 * step) ** -0.75
        return rate * decay if broken else decay

    scheduler = LambdaLR(optimizer, factor)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            scheduler.step()
    return Ended(accuracy(model, x_test, y_test))


def plateau_of_the_last_batch(watch: Watch, broken: bool) -> Ended:
    x, y = table(640)
    model = perceptron(8, 1)
    optimizer = Adam(model.parameters(), lr=1e-3)
    scheduler = ReduceLROnPlateau(optimizer, factor=0.1, patience=1)
    watch(model, optimizer)
    for _ in range(30):
        losses: list[float] = []
        for a, b in batches(x, y, size=16):
            if broken:
                losses = []
            optimizer.zero_grad()
            loss = F.mse_loss(model(a), b)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        scheduler.step(sum(losses) / len(losses))
    return Ended(explained(model, *table(1000)))


def closure_does_not_clear(watch: Watch, broken: bool) -> Ended:
    x, y = table(400)
    model = perceptron(8, 1)
    optimizer = LBFGS(model.parameters(), lr=0.5, max_iter=10)
    watch(model, optimizer)
    for _ in range(15):

        def closure() -> Tensor:
            if not broken:
                optimizer.zero_grad()
            loss = F.mse_loss(model(x), y)
            loss.backward()
            return loss

        optimizer.zero_grad()
        optimizer.step(closure)
    return Ended(explained(model, x, y))


BUGS = (
    RealBug(
        "cosine of the length of the warm-up",
        "https://github.com/lucidrains/imagen-pytorch/issues/71 (2022)",
        "T_max is the number of steps of the warm-up, so the learning rate goes up and down many "
        "times and ends high.",
        (
            "learning rate|schedul|t_max|cosine|period|cycle",
            "rises|rise again|up again|back up|comes back|returns|increas|restart|oscillat|period"
            "|cycl|up and down|t_max|too short|shorter than|many times|repeats|not end|ends high"
            "|climb|goes up|again",
        ),
        cosine_of_the_warm_up,
        bad=0.85,
        good=0.9,
    ),
    RealBug(
        "LambdaLR multiplies the rate twice",
        "https://github.com/lhoyer/MIC/issues/60 (2023)",
        "The function gives the learning rate where a factor of it is expected, so the rate is "
        "squared.",
        (
            "learning rate|rate|lambda|factor|step size|update|schedul",
            "too small|tiny|twice|squared|factor|too low|multipl|barely|hardly|slow|much smaller"
            "|very small|below|shrinks|cut",
        ),
        rate_twice,
        bad=0.75,
        good=0.9,
    ),
    RealBug(
        "plateau watches the last batch",
        "https://github.com/OlgaChernytska/2D-Hand-Pose-Estimation-RGB/issues/2 (2021)",
        "The list of losses is emptied in each batch, so the schedule gets the loss of the last "
        "batch, takes noise for a plateau, and stops the training.",
        (
            "plateau|schedul|learning rate",
            "last batch|one batch|single batch|noise|noisy|too early|too soon|premature|too small"
            "|still falling|still improv|while the loss|decayed to|reduced|too often|vanish"
            "|nearly zero|almost zero|close to zero|near zero|many times|tiny|too low",
        ),
        plateau_of_the_last_batch,
        bad=0.88,
        good=0.9,
    ),
    RealBug(
        "LBFGS: closure does not clear",
        "https://github.com/Lightning-AI/pytorch-lightning/pull/6147 (2021)",
        "The gradients are cleared before the step and not in the closure, which is called ten "
        "times, so they add up.",
        (
            "clear|zero_grad|accumul|add up|adds up|sum|piles|grow|pile up",
            "closure|gradient|lbfgs|evaluation",
        ),
        closure_does_not_clear,
        bad=0.5,
        good=0.9,
    ),
)
