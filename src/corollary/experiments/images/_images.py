"""Training an image classifier, and what the page shows about it."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.core import Curve, Figure, HeatMap, Image, Outcome
from corollary.train.callbacks import Callback
from corollary.train.loop import Loop
from corollary.train.preparation import MakeOptimizer
from corollary.train.trainer import fit

Labelled = tuple[Float[Tensor, "n *shape"], Int[Tensor, " n"]]


def standardised(train: Labelled, test: Labelled) -> tuple[Labelled, Labelled]:
    """Both sets, standardised by mean and standard deviation of the training set, by channel."""
    mean = train[0].mean((0, 2, 3), keepdim=True)
    std = train[0].std((0, 2, 3), keepdim=True)
    return ((train[0] - mean) / std, train[1]), ((test[0] - mean) / std, test[1])


def classify(
    model: nn.Module,
    train: Labelled,
    test: Labelled,
    optimizer: MakeOptimizer,
    *,
    epochs: int,
    batch_size: int,
    seed: int,
    pictures: bool = True,
) -> Outcome:
    """Train with cross entropy and a cosine schedule; the value is the test error in per cent.

    With ``pictures`` the first mistakes are shown.
    """
    steps = epochs * -(-len(train[0]) // batch_size)
    watch = _Progress(model, test)
    history = fit(
        model,
        train,
        F.cross_entropy,
        optimizer,
        epochs=epochs,
        batch_size=batch_size,
        rng=seed,
        schedule=lambda step: (1 + math.cos(math.pi * step / steps)) / 2,
        callbacks=[watch],
    )
    guess = predictions(model, test[0])
    error = 100 * float((guess != test[1]).float().mean())
    figures = [_curve(watch.errors), confusion(guess, test[1])]
    if pictures:
        figures += _mistakes(guess, test)
    last = history["loss"][-steps // epochs :]
    return Outcome(error, tuple(figures), numbers={"training loss": sum(last) / len(last)})


def predictions(model: nn.Module, x: Float[Tensor, "n *shape"]) -> Int[Tensor, " n"]:
    """The class with the largest logit, in evaluation mode."""
    mode = model.training
    model.eval()
    with torch.no_grad():
        classes = torch.cat([model(part).argmax(1) for part in x.split(500)])
    model.train(mode)
    return classes


class _Progress(Callback):
    """The test error before training and after each epoch, on at most 2,000 images."""

    def __init__(self, model: nn.Module, test: Labelled) -> None:
        self.x, self.y = test[0][:2000], test[1][:2000]
        self.errors = [self._error(model)]

    def on_epoch(self, loop: Loop) -> None:
        self.errors.append(self._error(loop.model))

    def _error(self, model: nn.Module) -> float:
        return 100 * float((predictions(model, self.x) != self.y).float().mean())


def _curve(errors: list[float]) -> Figure:
    mark = Curve(errors, label="first 2,000 test images")
    return Figure("Error while training", x="epoch", y="test error in %", marks=(mark,))


def confusion(guess: Int[Tensor, " n"], y: Int[Tensor, " n"]) -> Figure:
    """How often each class was taken for each other one."""
    k = int(y.max()) + 1
    counts = torch.bincount(y * k + guess, minlength=k * k).reshape(k, k).double()
    counts.fill_diagonal_(0)  # the mistakes are what one wants to see
    side = (-0.5, k - 0.5)
    mark = HeatMap(counts.tolist(), x=side, y=side, label="images")
    return Figure("Mistakes", x="class said", y="true class", marks=(mark,), equal=True)


def _mistakes(guess: Int[Tensor, " n"], test: Labelled, count: int = 8) -> list[Figure]:
    """The first images that were classified wrongly, in a row."""
    x, y = test
    wrong = (guess != y).nonzero().flatten()[:count]
    if not len(wrong):
        return []
    grey = x[wrong].mean(1)
    grey = (grey - grey.amin((1, 2), keepdim=True)) / grey.amax((1, 2), keepdim=True).sub(
        grey.amin((1, 2), keepdim=True)
    )
    row = torch.cat(list(grey), dim=1)
    said = ", ".join(f"{int(guess[i])} for {int(y[i])}" for i in wrong)
    mark = Image(row.tolist(), x=(0.0, float(len(wrong))), y=(0.0, 1.0))
    title = "The first mistakes"
    return [Figure(title, x="", y="", marks=(mark,), equal=True, caption=f"Said: {said}.")]
