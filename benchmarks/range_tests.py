"""Learning-rate finders that raise the rate in one short run, for comparison.

* The classical range test: a tenth of the rate at which the smoothed loss is lowest.
* PyTorch Lightning's learning-rate finder with its defaults: the rate at which the smoothed loss
  falls most steeply, per step (the rule of earlier versions) or per unit of the rate (the present
  one).

:source: Smith (2017), "Cyclical learning rates for training neural networks", Section 3.3; the rule
    of a tenth: Howard and Gugger (2020), "fastai: a layered API for deep learning"; Lightning:
    documentation and source of lightning.pytorch.tuner.lr_finder, version 2.5.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from small_tasks import Task
from torch import nn

SMOOTHING = 0.98  # of the running mean, with the correction of its start
WORSE = 4.0  # times the lowest loss: the run ends
STEPS = 100


def raised(
    task: Task, model: nn.Module, low: float, high: float, seed: int
) -> tuple[list[float], list[float]]:
    """Learning rates and smoothed losses of a run whose rate grows exponentially."""
    optimizer = task.made(model.parameters(), low)
    x, y = task.data
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    mean, best = 0.0, math.inf
    rates, losses = [], []
    for k in range(STEPS):
        rows = order[torch.arange(k * task.batch, (k + 1) * task.batch) % len(x)]
        for group in optimizer.param_groups:
            group["lr"] = low * (high / low) ** (k / (STEPS - 1))
        loss = task.loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = SMOOTHING * mean + (1 - SMOOTHING) * float(loss.detach())
        smoothed = mean / (1 - SMOOTHING ** (k + 1))
        rates.append(float(optimizer.param_groups[0]["lr"]))
        losses.append(smoothed)
        if not smoothed <= WORSE * best and k > 0:
            break
        best = min(best, smoothed)
    return rates, losses


def classical(task: Task, model: nn.Module, seed: int = 0) -> float:
    """A tenth of the rate of the lowest smoothed loss, between 1e-7 and 10."""
    rates, losses = raised(task, model, 1e-7, 10.0, seed)
    finite = [(loss, rate) for rate, loss in zip(rates, losses, strict=True) if loss < math.inf]
    return min(finite)[1] / 10


def steepest(task: Task, model: nn.Module, seed: int = 0, *, per_rate: bool = False) -> float:
    """The rate of the most negative slope between 1e-8 and 1, without the first 10 and the last."""
    rates, losses = (np.array(v)[10:-1] for v in raised(task, model, 1e-8, 1.0, seed))
    finite = np.isfinite(losses)
    rates, losses = rates[finite], losses[finite]
    slope = np.gradient(losses, rates) if per_rate else np.gradient(losses)
    return float(rates[slope.argmin()])


RULES: dict[str, Callable[[Task, nn.Module], float]] = {
    "range test": classical,
    "Lightning, per step": steepest,
    "Lightning, per rate": partial(steepest, per_rate=True),
}
