"""Loops that Lightning runs."""

import warnings
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from corollary.watch.watcher import Watcher
from loops.material import cnn, digits, mlp
from loops.planted import Bug, Watch
from loops.second.material import Backbone, Recurrent, batches, series


def fitted(
    module: Any, data: Any, epochs: int = 4, watched: bool = True, **options: Any
) -> Watcher | None:
    """Train a LightningModule under the callback, without files or bars."""
    from lightning.pytorch import Trainer

    from corollary.watch.lightning import WatchCallback

    callback = WatchCallback(to=None, quiet=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = Trainer(
            max_epochs=epochs,
            accelerator="cpu",
            callbacks=[callback] if watched else [],
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            **options,
        )
        trainer.fit(module, data)
    return callback.watcher


def classifier(net: nn.Module, optimizer: Any, **methods: Any) -> Any:
    """A LightningModule around a network; methods take the place of its own."""
    from lightning.pytorch import LightningModule

    def step(self: Any, batch: tuple[Tensor, Tensor], _: int) -> Tensor:
        x, y = batch
        return F.cross_entropy(self(x), y)

    def validation_step(self: Any, batch: tuple[Tensor, Tensor], _: int) -> None:
        x, y = batch
        self.log("val_loss", F.cross_entropy(self(x), y))

    def init(self: Any) -> None:
        LightningModule.__init__(self)
        self.net = net

    own = {
        "__init__": init,
        "forward": lambda self, x: self.net(x),
        "training_step": step,
        "validation_step": validation_step,
        "configure_optimizers": lambda self: optimizer,
    }
    return type("Classifier", (LightningModule,), own | methods)()


def predicted_before_the_fit(watch: Watch, broken: bool) -> Any:
    net = Backbone(dropout=0.3)
    module = classifier(net, Adam(net.parameters(), lr=1e-3))
    x, y = digits(images=True)
    module.eval()
    with torch.no_grad():
        module(x[:8])
    if not broken:
        module.train()
    return fitted(module, batches(x, y))


def by_hand_and_never_cleared(watch: Watch, broken: bool) -> Any:
    net = Recurrent()
    optimizer = Adam(net.parameters(), lr=3e-3)

    def step(self: Any, batch: tuple[Tensor, Tensor], _: int) -> None:
        own = self.optimizers()
        if not broken:
            own.zero_grad()
        self.manual_backward(F.cross_entropy(self(batch[0]), batch[1]))
        own.step()

    module = classifier(net, optimizer, training_step=step)
    module.automatic_optimization = False
    return fitted(module, batches(*series()))


def only_the_head_is_configured(watch: Watch, broken: bool) -> Any:
    net = Backbone()
    part = net.head if broken else net
    module = classifier(net, Adam(part.parameters(), lr=1e-3))
    return fitted(module, batches(*digits(images=True)))


def one_batch_left_to_overfit(watch: Watch, broken: bool) -> Any:
    net = mlp()
    module = classifier(net, Adam(net.parameters(), lr=1e-3))
    options = {"overfit_batches": 1} if broken else {}
    return fitted(module, batches(*digits()), epochs=80 if broken else 4, **options)


def validated_in_training_mode(watch: Watch, broken: bool) -> Any:
    net = cnn()
    x, y = digits(images=True)
    held_out = batches(x[1500:], y[1500:], shuffle=False)
    methods: dict[str, Any] = {"val_dataloader": lambda self: held_out}
    if broken:
        methods["on_validation_model_eval"] = lambda self: None
    module = classifier(net, Adam(net.parameters(), lr=1e-3), **methods)
    return fitted(module, batches(x[:1500], y[:1500]))


BUGS = (
    Bug(
        "Lightning: predicted before the fit",
        ("mode/eval_during_training",),
        predicted_before_the_fit,
    ),
    Bug(
        "Lightning: by hand and never cleared",
        ("loop/zero_grad_missing",),
        by_hand_and_never_cleared,
    ),
    Bug(
        "Lightning: only the head is configured",
        ("optimizer/missing_parameters",),
        only_the_head_is_configured,
    ),
    Bug(
        "Lightning: one batch left to overfit",
        ("data/repeated_batch", "data/same_order"),
        one_batch_left_to_overfit,
    ),
    Bug(
        "Lightning: validated in training mode",
        ("mode/training_during_evaluation",),
        validated_in_training_mode,
    ),
)
