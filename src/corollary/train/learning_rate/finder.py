r"""Find a learning rate: candidates from curvature, confirmed by short runs.

The search has three parts.

1. The largest learning rate that is stable to second order, for the given optimizer where the model
   is now.
2. Short runs at learning rates a factor of four apart, from four times that rate downwards. While
   the best one is at an end, more are added there.
3. Longer runs, half of the planned steps, at the best rate and a factor of two on both sides,
   with several orders of the data; more are added while the best one is at an end. The choice is
   the lowest point of the parabola through the best loss and its neighbours.

A learning rate is judged by the mean training loss at the end of its run, over the same batches as
all others. A single batch, or one slope of a noisy curve, decides nothing; a run that leaves the
finite numbers counts as infinitely bad.

:source: Cohen, Kaur, Li, Kolter and Talwalkar (2021), "Gradient descent on neural networks
    typically occurs at the edge of stability"; Jamieson and Talwalkar (2016), "Non-stochastic best
    arm identification and hyperparameter optimization", for short runs that select longer ones.
"""

import math
from collections.abc import Callable
from typing import Any

from torch import Generator, nn
from torch.utils.data import DataLoader

from corollary.errors import NotFiniteError
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.train.batches import Data
from corollary.train.learning_rate.result import LearningRate, alike
from corollary.train.learning_rate.threshold import moving_rate, stable_rate
from corollary.train.learning_rate.trials import Trial, Trials
from corollary.train.objective import Loss, compare
from corollary.train.preparation import MakeOptimizer, check_model, check_whole, seed_of

COARSE, FINE = 4.0, 2.0  # ratio of neighbours
LADDER = range(1, -5, -1)  # powers of COARSE, of the stable rate
MORE = 8  # rates that may be added beyond an end
LONGEST, SHORTEST = 256, 32  # steps of a longer run, if so many are planned
ROWS = 256  # samples of which the curvature is measured


def find_learning_rate(
    model: nn.Module,
    data: Data,
    loss: Loss,
    optimizer: MakeOptimizer,
    *,
    steps: int,
    batch_size: int | None = None,
    seeds: int = 2,
    rng: int | Generator = 0,
    call: Callable[..., Any] = compare,
    landscape: Landscape | None = None,
    **options: Any,
) -> LearningRate:
    """The learning rate at which a run of so many steps ends with a low training loss.

    The model is given back as it was. Cost: about ten runs of half of the planned steps, or of 256
    steps if that is less.

    Args:
        model: Any module, at the weights where training will begin.
        data: As :func:`~corollary.train.trainer.fit` takes it.
        loss: ``loss(output, target)``.
        optimizer: A function from the trainable parameters to an optimizer. Its learning rate does
            not matter; those of several groups keep their ratios.
        steps: Updates of the planned run.
        batch_size: Rows of a batch.
        seeds: Orders of the data with which the longer runs are repeated.
        rng: The seed, or a generator from which it is drawn.
        call: How a batch is valued, as for ``fit``.
        landscape: The loss whose curvature is measured, if it is not ``loss(model(x), y)``.
        options: More options of ``fit``, such as ``clip``.

    Example:
        >>> import torch
        >>> x = torch.linspace(-1, 1, 64)[:, None]
        >>> line = nn.Linear(1, 1, bias=False)
        >>> sgd = lambda parameters: torch.optim.SGD(parameters, lr=1.0)
        >>> found = find_learning_rate(line, (x, 3 * x), nn.functional.mse_loss, sgd, steps=50)
        >>> round(float(2 * x.square().mean()) * found.stable.value, 3)  # 2 / lambda_max
        2.0
        >>> 0.1 < found.rate / found.stable.value < 1
        True
    """
    check_model(model)
    check_whole("steps", steps, 1)
    check_whole("seeds", seeds, 2)
    given = {"batch_size": batch_size, "call": call} | options
    trials = Trials(model, data, loss, optimizer, seed_of(rng), given)
    if landscape is None and call is compare and not isinstance(data, DataLoader):
        landscape = _landscape(model, loss, data)
    stable = None if landscape is None else stable_rate(landscape, trials)
    start = moving_rate(trials) if stable is None else stable.value
    long = min(steps, LONGEST, max(SHORTEST, steps // 2))
    short = max(2, long // 4)
    coarse = [trials.run(start * COARSE**k, short) for k in LADDER]
    _extend(coarse, COARSE, trials)
    if not math.isfinite(_best(coarse).loss):
        raise NotFiniteError(
            f"expected a finite loss at some learning rate, got none from {coarse[-1].rate:.1g} to "
            f"{coarse[0].rate:.1g}; look at the data, the loss and the initial weights"
        )
    middle = _best(coarse).rate
    fine = [trials.run(middle * FINE**k, long, seeds) for k in (1, 0, -1)]
    _extend(fine, FINE, trials)
    best = _best(fine)
    low, high = alike(fine, best)
    return LearningRate(_vertex(fine, best), low, high, stable, (*coarse, *fine))


def _landscape(model: nn.Module, loss: Loss, data: Any) -> Landscape:
    columns = [t[:ROWS] for t in ((data,) if hasattr(data, "shape") else data)]
    inputs = columns[0] if len(columns) < 3 else tuple(columns[:-1])
    pair = inputs if len(columns) == 1 else (inputs, columns[-1])
    return Landscape(model, loss, pair, mode="train")


def _best(trials: list[Trial]) -> Trial:
    return min(trials, key=lambda trial: trial.loss)


def _extend(trials: list[Trial], factor: float, all_trials: Trials) -> None:
    """Add rates while the best one is at an end; ``trials`` are in falling order of the rate."""
    steps, seeds = trials[0].steps, len(trials[0].losses)
    for _ in range(MORE):
        best = _best(trials)
        lost = not math.isfinite(best.loss)
        if lost or (best is trials[-1] and best.loss < trials[-2].loss):
            trials.append(all_trials.run(trials[-1].rate / factor, steps, seeds))
        elif best is trials[0] and best.loss < trials[1].loss:
            trials.insert(0, all_trials.run(best.rate * factor, steps, seeds))
        else:
            return


def _vertex(trials: list[Trial], best: Trial) -> float:
    """Where the parabola through the best loss and its neighbours is lowest, in the logarithm."""
    k = trials.index(best)
    if not 0 < k < len(trials) - 1:
        return best.rate
    above, below = trials[k - 1].loss, trials[k + 1].loss
    bend = above - 2 * best.loss + below
    if not 0 < bend < math.inf:
        return best.rate
    return float(best.rate * FINE ** (0.5 * (below - above) / bend))
