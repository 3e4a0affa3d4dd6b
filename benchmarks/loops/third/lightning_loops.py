"""Loops that Lightning runs."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import LambdaLR, MultiStepLR, ReduceLROnPlateau

from loops.material import Gpt, cnn, mlp, next_token_loss, text
from loops.planted import Watch
from loops.second.lightning_loops import classifier, fitted
from loops.second.material import Recurrent
from loops.third.material import batches, series, split_digits
from loops.third.real import Ended, RealBug, accuracy, unwatched


def average_left_in_the_network(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits(images=True)
    net = cnn()
    average = [p.detach().clone() for p in net.parameters()]
    own: list[Tensor] = []

    def after_batch(self: Any, *_: Any) -> None:
        for mean, p in zip(average, net.parameters(), strict=True):
            mean.lerp_(p.detach(), 0.001)

    @torch.no_grad()
    def before_validation(self: Any) -> None:
        own[:] = [p.clone() for p in net.parameters()]
        for mean, p in zip(average, net.parameters(), strict=True):
            p.copy_(mean)

    @torch.no_grad()
    def after_validation(self: Any) -> None:
        if not broken:
            for old, p in zip(own, net.parameters(), strict=True):
                p.copy_(old)

    held_out = batches(x_test, y_test, shuffle=False)
    module = classifier(
        net,
        Adam(net.parameters(), lr=1e-3),
        val_dataloader=lambda self: held_out,
        on_train_batch_end=after_batch,
        on_validation_start=before_validation,
        on_validation_end=after_validation,
    )
    watcher = fitted(module, batches(x, y), epochs=8, watched=watch is not unwatched)
    return Ended(accuracy(net, x_test, y_test), watcher)


def schedule_by_hand(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits()
    net = mlp()
    optimizer = SGD(net.parameters(), lr=0.2)
    scheduler = MultiStepLR(optimizer, [3, 6], gamma=0.2)

    def step(self: Any, batch: tuple[Tensor, Tensor], _: int) -> None:
        own = self.optimizers()
        own.zero_grad()
        self.manual_backward(F.cross_entropy(self(batch[0]), batch[1]))
        own.step()

    def after_epoch(self: Any) -> None:
        if not broken:
            self.lr_schedulers().step()

    module = classifier(
        net,
        ([optimizer], [scheduler]),
        training_step=step,
        on_train_epoch_end=after_epoch,
    )
    module.automatic_optimization = False
    watcher = fitted(module, batches(x, y), epochs=8, watched=watch is not unwatched)
    return Ended(-optimizer.param_groups[0]["lr"], watcher)


def warm_up_counted_in_epochs(watch: Watch, broken: bool) -> Ended:
    ids = text(640)
    net = Gpt()
    optimizer = AdamW(net.parameters(), lr=2e-3)
    rise = LambdaLR(optimizer, lambda k: min(1.0, k / 20))
    counted = {"scheduler": rise, "interval": "epoch" if broken else "step"}

    def step(self: Any, batch: tuple[Tensor, Tensor], _: int) -> Tensor:
        return next_token_loss(self(batch[0]), batch[0])

    module = classifier(net, ([optimizer], [counted]), training_step=step)
    watcher = fitted(module, batches(ids, ids, size=16), epochs=4, watched=watch is not unwatched)
    with torch.no_grad():
        return Ended(-float(next_token_loss(net.eval()(ids), ids)), watcher)


def plateau_of_an_accuracy(watch: Watch, broken: bool) -> Ended:
    x, y = series(1200)
    net = Recurrent()
    optimizer = Adam(net.parameters(), lr=2e-3)
    mode = "min" if broken else "max"
    plateau = ReduceLROnPlateau(optimizer, mode=mode, factor=0.1, patience=2)
    counted = {"scheduler": plateau, "monitor": "val_accuracy"}

    def validation_step(self: Any, batch: tuple[Tensor, Tensor], _: int) -> None:
        right = (self(batch[0]).argmax(1) == batch[1]).float().mean()
        self.log("val_accuracy", right)

    held_out = batches(x[960:], y[960:], shuffle=False)
    module = classifier(
        net,
        {"optimizer": optimizer, "lr_scheduler": counted},
        validation_step=validation_step,
        val_dataloader=lambda self: held_out,
    )
    watcher = fitted(module, batches(x[:960], y[:960]), 16, watched=watch is not unwatched)
    return Ended(accuracy(net, x[960:], y[960:]), watcher)


SMALL = "too small|too low|tiny|zero|slow"

BUGS = (
    RealBug(
        "Lightning: average left in the network after validation",
        "https://github.com/PKU-YuanGroup/Open-Sora-Plan/issues/186",
        "The averaged weights are copied into the network for the validation, and the trained "
        "ones are not put back.",
        (
            "parameter|weight",
            "outside|overwrit|not by the optimizer|between steps|other than the optimizer"
            "|replaced|restor|put back|changed by|without a step|reset to|were reset",
        ),
        average_left_in_the_network,
        bad=0.8,
        good=0.93,
    ),
    RealBug(
        "Lightning: schedule of a manual optimization",
        "https://github.com/voicepaw/so-vits-svc-fork/pull/291",
        "In manual optimization Lightning leaves the scheduler to the user, who relies on "
        "Lightning: the learning rate never falls.",
        ("schedul", "never|not step|no step|not call|constant"),
        schedule_by_hand,
        bad=-0.2,
        good=-0.01,
    ),
    RealBug(
        "Lightning: warm-up counted in epochs",
        "https://github.com/huggingface/transformers/issues/20916",
        "A warm-up of 20 steps is stepped once per epoch, so the first epoch has a learning "
        "rate of zero and the others hardly more.",
        ("learning rate|schedul|warm", SMALL + "|warm|per epoch|each epoch|rarely"),
        warm_up_counted_in_epochs,
        bad=-1.5,
        good=-1.0,
    ),
    RealBug(
        "Lightning: plateau of an accuracy taken for a loss",
        "https://github.com/md-mohaiminul/ViS4mer/issues/4",
        "ReduceLROnPlateau waits for the accuracy to fall, so the better the network gets the "
        "sooner the learning rate is cut.",
        (
            "learning rate|schedul|plateau",
            SMALL + "|wrong mode|mode of|mode=|early|while the loss|still falling|still improv",
        ),
        plateau_of_an_accuracy,
        bad=0.8,
        good=0.95,
    ),
)
