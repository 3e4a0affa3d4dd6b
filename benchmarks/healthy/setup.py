"""A healthy training set-up: what a user would give to ``examine``, and a check that it trains."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from real_bugs.bug import Arguments, train, whole
from torch import Tensor, nn

Score = Callable[[nn.Module, Any, Any], float]


@dataclass(frozen=True)
class SetUp:
    """Nothing is wrong with it: after its training it scores at least ``good`` on held-out data."""

    name: str
    make: Callable[[], Arguments]
    score: Score  # of the trained network; more is better
    good: float

    def arguments(self) -> Arguments:
        """Arguments of ``corollary.examine``, from the seed 0."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return self.make()

    def trained_score(self) -> float:
        """The score on held-out samples, or else on the data, after the training that is meant."""
        arguments = self.arguments()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(1)
            train(arguments)
            x, y = whole(arguments.get("held_out") or arguments["data"])
            with torch.no_grad():
                return self.score(arguments["model"].eval(), x, y)


def plan(
    model: nn.Module,
    data: tuple[Any, Any],
    loss: Any,
    *,
    lr: float = 3e-3,
    steps: int = 300,
    batch_size: int = 32,
    train: int = 0,
    **more: Any,
) -> Arguments:
    """Arguments with Adam, the samples from ``train`` on held out if it is given."""
    split: dict[str, Any] = {"data": data}
    if train:
        x, y = data
        split = {"data": (x[:train], y[:train]), "held_out": (x[train:], y[train:])}
    trainable = [p for p in model.parameters() if p.requires_grad]
    recipe: Arguments = {
        "optimizer": torch.optim.Adam(trainable, lr=lr),
        "batch_size": batch_size,
        "steps": steps,
    }
    return {"model": model, "loss": loss, **split, **recipe, **more}


class Loss(nn.Module):
    """A function of output and target as a module, as users write it."""

    def __init__(self, function: Callable[[Any, Any], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, output: Any, target: Any) -> Tensor:
        return self.function(output, target)


def less_than(compute: Callable[[nn.Module, Any, Any], Tensor]) -> Score:
    """The negative of an error, so that more is better."""
    return lambda model, x, y: -float(compute(model, x, y))
