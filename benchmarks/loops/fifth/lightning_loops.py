"""Loops that Lightning runs."""

import tempfile
import warnings
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim import SGD
from torch.optim.lr_scheduler import OneCycleLR

from loops.fifth.material import trained_mlp
from loops.material import mlp
from loops.planted import Watch
from loops.second.lightning_loops import classifier, fitted
from loops.third.material import batches, split_digits
from loops.third.real import Ended, RealBug, accuracy, unwatched


def best_in_the_wrong_mode(watch: Watch, broken: bool) -> Ended:
    from lightning.pytorch import Trainer
    from lightning.pytorch.callbacks import ModelCheckpoint

    from corollary.watch.lightning import WatchCallback

    x, y, x_test, y_test = split_digits()
    net = mlp()
    module = classifier(net, SGD(net.parameters(), lr=0.01, momentum=0.9))
    watcher = WatchCallback(to=None, quiet=True)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best = ModelCheckpoint(folder, monitor="val_loss", mode="max" if broken else "min")
        trainer = Trainer(
            max_epochs=6,
            accelerator="cpu",
            callbacks=[best] if watch is unwatched else [best, watcher],
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
        )
        trainer.fit(module, batches(x, y), batches(x_test, y_test, shuffle=False))
        kept = torch.load(Path(best.best_model_path), weights_only=True)
    module.load_state_dict(kept["state_dict"])
    return Ended(accuracy(net, x_test, y_test), watcher.watcher)


def loaded_and_not_assigned(watch: Watch, broken: bool) -> Ended:
    from lightning.pytorch import LightningModule, Trainer

    class Fine(LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp()

        def training_step(self, batch: tuple[Tensor, Tensor], _: int) -> Tensor:
            return F.cross_entropy(self.net(batch[0]), batch[1])

        def configure_optimizers(self) -> SGD:
            return SGD(self.parameters(), lr=0.005)

    x, y, x_test, y_test = split_digits()
    before = Fine()
    before.net = trained_mlp(x[200:], y[200:])
    module = Fine()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = Trainer(accelerator="cpu", logger=False, enable_checkpointing=False)
        trainer.strategy.connect(before)
        path = Path(folder) / "pretrained.ckpt"
        trainer.save_checkpoint(path, weights_only=True)
        loaded = Fine.load_from_checkpoint(path)
        if not broken:
            module = loaded
    watcher = fitted(
        module, batches(x[:200], y[:200], size=50), epochs=15, watched=watch is not unwatched
    )
    return Ended(accuracy(module.net, x_test, y_test), watcher)


def cycle_of_batches(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    net, data, pieces = mlp(), batches(x, y, size=16), 8
    steps = 6 * len(data)
    optimizer = SGD(net.parameters(), lr=0.03, momentum=0.9)
    total = steps if broken else steps // pieces + 6
    scheduler = OneCycleLR(optimizer, max_lr=0.03, total_steps=total)
    configured = {
        "optimizer": optimizer,
        "lr_scheduler": {"scheduler": scheduler, "interval": "step"},
    }
    watcher = fitted(
        classifier(net, configured),
        data,
        epochs=6,
        watched=watch is not unwatched,
        accumulate_grad_batches=pieces,
    )
    return Ended(accuracy(net, x_test, y_test), watcher)


BUGS = (
    RealBug(
        "Lightning: the best checkpoint is the worst",
        "https://github.com/mila-iqia/cookiecutter-pyml/issues/119 (2024)",
        "The checkpoint of a validation loss is kept in mode max, so the worst weights are kept "
        "as the best.",
        (
            "checkpoint|best|mode|monitor|kept|saved",
            "max|worst|mode|direction|first epoch|largest|highest|wrong|loss",
        ),
        best_in_the_wrong_mode,
        bad=0.8,
        good=0.9,
    ),
    RealBug(
        "Lightning: the loaded checkpoint is not assigned",
        "https://github.com/Lightning-AI/pytorch-lightning/issues/4789 (2020)",
        "load_from_checkpoint gives a new module back, which is not used; the module that trains "
        "has random weights.",
        (
            "checkpoint|load|pretrained|initial|random weights|from scratch|untrained",
            "not assign|not used|not load|discard|random|initial|scratch|untrained|never load"
            "|result|not pretrained|fresh",
        ),
        loaded_and_not_assigned,
        bad=0.7,
        good=0.9,
    ),
    RealBug(
        "Lightning: cycle planned in batches, stepped per accumulation",
        "https://github.com/IndicoDataSolutions/finetune/issues/380 (2019)",
        "The length of the cycle counts batches, of which eight make a step, so the run ends in "
        "the rise of the learning rate.",
        (
            "schedul|learning rate|cycle|warm",
            "accumul|total_steps|too long|longer than|not end|never end|does not decay|not decay"
            "|rising|still rises|warm|too slow|unfinished|not finish|incomplete|part of|never"
            "|ended early|increasing|too many steps|planned",
        ),
        cycle_of_batches,
        bad=0.8,
        good=0.82,
    ),
)
