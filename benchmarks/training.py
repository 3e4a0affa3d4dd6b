"""What `corollary.train.fit` costs over a loop written by hand.

MLP 784-256-10, batches of 128 of 12,800 rows in memory, shuffled each epoch, SGD; and a network so
small that the loop itself is what is measured.

    python benchmarks/training.py [--json out/training.json]
"""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from race import Race, main, race
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from corollary.train import Callback, Measure, fit

ROWS, BATCH = 12_800, 128


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))


def sgd(parameters) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=0.01)


def update(model: nn.Module, optimizer: torch.optim.Optimizer, x, y) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()  # a history needs it


def bare_loop(gather: Callable) -> Callable[[torch.Tensor, torch.Tensor], None]:
    def run(x, y):
        model = network()
        optimizer = sgd(model.parameters())
        for rows in torch.randperm(len(x)).split(BATCH):
            update(model, optimizer, gather(x, rows), gather(y, rows))

    return run


def bare_in_order(x, y) -> None:
    model = network()
    optimizer = sgd(model.parameters())
    for a, b in zip(x.split(BATCH), y.split(BATCH), strict=True):
        update(model, optimizer, a, b)


def bare_loader(x, y) -> None:
    model = network()
    optimizer = sgd(model.parameters())
    for a, b in DataLoader(TensorDataset(x, y), batch_size=BATCH, shuffle=True):
        update(model, optimizer, a, b)


def ours(x, y) -> None:
    fit(network(), (x, y), F.cross_entropy, sgd, epochs=1, batch_size=BATCH)


class Listener(Callback):
    """Records a number each step, as a user's callback might."""

    def on_step(self, loop):
        """Record the latest loss once more."""
        loop.record("loss again", loop.history.losses[-1])


def ours_with_everything(x, y) -> None:
    listeners = [Listener(), Measure(every=10, bias=lambda model: model[0].bias.sum())]
    how = {"callbacks": listeners, "progress": True}
    fit(network(), (x, y), F.cross_entropy, sgd, epochs=1, batch_size=BATCH, **how)


def ours_loader(x, y) -> None:
    loader = DataLoader(TensorDataset(x, y), batch_size=BATCH, shuffle=True)
    fit(network(), loader, F.cross_entropy, sgd, epochs=1)


def epoch() -> Race:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(ROWS, 784, generator=rng)
    y = torch.randint(10, (ROWS,), generator=rng)
    contenders = {
        "bare loop": bare_loop(lambda t, rows: t[rows]),
        "bare loop, index_select": bare_loop(lambda t, rows: t.index_select(0, rows)),
        "bare loop, not shuffled": bare_in_order,
        "bare loop, DataLoader": bare_loader,
        "fit": ours,
        "fit, callbacks, metrics, bar": ours_with_everything,
        "fit, DataLoader": ours_loader,
    }
    return race(
        "One epoch of an MLP 784-256-10 in batches of 128",
        {name: partial(run, x, y) for name, run in contenders.items()},
        reference="bare loop",
        floor="bare loop, not shuffled",
        facts={"rows": ROWS, "steps": ROWS // BATCH},
    )


def smallest() -> Race:
    x, steps = torch.linspace(-1, 1, 32)[:, None], 500

    def small() -> nn.Module:
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))

    def bare() -> None:
        model = small()
        optimizer = sgd(model.parameters())
        for _ in range(steps):
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), x)
            loss.backward()
            optimizer.step()
            loss.item()

    return race(
        "Full-batch steps of a network 1-16-1 on 32 points",
        {"bare loop": bare, "fit": lambda: fit(small(), (x, x), F.mse_loss, sgd, steps=steps)},
        reference="bare loop",
        facts={"steps": steps},
    )


if __name__ == "__main__":
    main(epoch, smallest)
