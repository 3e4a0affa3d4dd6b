"""Training on a citation graph as in the papers: Adam, and the best validation loss."""

import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import Curve, Figure, Level, Outcome
from corollary.data.planetoid import Citations
from corollary.train.early_stopping import EarlyStopping
from corollary.train.nodes import accuracy, fit_nodes
from corollary.train.preparation import MakeOptimizer


def node_accuracy(
    model: nn.Module,
    data: Citations,
    optimizer: torch.optim.Optimizer | MakeOptimizer,
    *,
    steps: int,
    patience: int,
    seed: int,
) -> Outcome:
    """Test accuracy in per cent at the step with the smallest validation loss."""
    graph, words, y, train, val, test = data
    x = words.to_sparse()

    def validation(model: nn.Module) -> float:
        with torch.no_grad():
            return float(F.cross_entropy(model(x, graph)[val], y[val]))

    stop = EarlyStopping(validation, patience=patience)
    history = fit_nodes(
        model, graph, x, y, train, optimizer, steps=steps, rng=seed, callbacks=[stop]
    )
    model.eval()
    with torch.no_grad():
        logits = model(x, graph)
    masks = {"train": train, "val": val, "test": test}
    shares = {name: 100 * accuracy(logits, y, mask) for name, mask in masks.items()}

    losses = Figure(
        "Loss while training",
        x="step",
        y="cross entropy",
        marks=(
            Curve(history["loss"], label="training"),
            Curve(history["validation"], label="validation", role="other"),
            Level(stop.best_epoch, label="kept", axis="x"),
        ),
    )
    return Outcome(shares["test"], (losses,), numbers=shares | {"steps": float(len(history))})
