"""Optimizers that call a closure."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import LBFGS

from loops.planted import Watch
from loops.third.material import split_digits, table
from loops.third.real import Ended, RealBug, explained, moved, weights


def closure_without_backward(watch: Watch, broken: bool) -> Ended:
    model = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))
    optimizer = LBFGS(model.parameters(), lr=0.5, max_iter=4, line_search_fn="strong_wolfe")
    x, y, _, _ = split_digits()
    before = weights(model)
    watch(model, optimizer)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        if not broken:
            loss.backward()
        return loss

    for _ in range(60):
        optimizer.step(closure)
    return Ended(moved(model, before))


def batch_drawn_in_the_closure(watch: Watch, broken: bool) -> Ended:
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = LBFGS(model.parameters(), max_iter=8, line_search_fn="strong_wolfe")
    x, y = table(800)
    watch(model, optimizer)

    def closure() -> Tensor:
        chosen = torch.randint(len(x), (64,)) if broken else torch.arange(len(x))
        optimizer.zero_grad()
        loss = F.mse_loss(model(x[chosen]), y[chosen])
        loss.backward()
        return loss

    for _ in range(60):
        optimizer.step(closure)
    return Ended(explained(model, *table(1000)))


BUGS = (
    RealBug(
        "LBFGS: closure without backward",
        "https://github.com/mlverse/torch/issues/1032",
        "The closure returns the loss but does not differentiate it, so no weight changes.",
        (
            "without backward|no backward|without a backward|backward is missing|call backward"
            "|no gradient|without gradient|without a gradient|grad is none|not computed",
        ),
        closure_without_backward,
        bad=0.0,
        good=0.99,
    ),
    RealBug(
        "LBFGS: another batch at each call of the closure",
        "https://github.com/pytorch/pytorch/issues/5953",
        "The closure draws a new batch whenever it is called, so the curvature that LBFGS "
        "estimates from two gradients is noise.",
        (
            "closure|lbfgs|line search",
            "another batch|new batch|batches|batch changes|nois|random|stochastic|determin|differ"
            "|not the same",
        ),
        batch_drawn_in_the_closure,
        bad=0.6,
        good=0.85,
    ),
)
