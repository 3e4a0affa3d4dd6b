"""Loops that Lightning runs."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import MultiStepLR

from loops.material import cnn, mlp
from loops.planted import Watch
from loops.second.lightning_loops import classifier, fitted
from loops.second.material import Recurrent
from loops.third.adversaries import Gan, adversaries
from loops.third.material import batches, ring, series, split_digits
from loops.third.real import Ended, RealBug, accuracy, moved, unwatched, weights


def loss_logged_not_returned(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits()
    net = mlp()
    before = weights(net)

    def step(self: Any, batch: tuple[Tensor, Tensor], _: int) -> Tensor | None:
        loss = F.cross_entropy(self(batch[0]), batch[1])
        self.log("train_loss", loss)
        return None if broken else loss

    module = classifier(net, Adam(net.parameters(), lr=1e-3), training_step=step)
    watcher = fitted(module, batches(x, y), epochs=6, watched=watch is not unwatched)
    return Ended(moved(net, before), watcher)


def steps_not_known(watch: Watch, broken: bool) -> Ended:
    from transformers import get_linear_schedule_with_warmup

    x, y, x_test, y_test = split_digits(images=True)
    net = cnn()

    def configured(self: Any) -> dict[str, Any]:
        optimizer = AdamW(net.parameters(), lr=2e-3)
        steps = self.trainer.max_steps if broken else self.trainer.estimated_stepping_batches
        scheduler = get_linear_schedule_with_warmup(optimizer, 10, steps)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": scheduler, "interval": "step"},
        }

    module = classifier(net, None, configure_optimizers=configured)
    watcher = fitted(module, batches(x, y), epochs=6, watched=watch is not unwatched)
    return Ended(accuracy(net, x_test, y_test), watcher)


def warm_up_over_the_schedule(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits()
    net = mlp()
    optimizer = SGD(net.parameters(), lr=0.1, momentum=0.9)
    scheduler = MultiStepLR(optimizer, [4, 7], gamma=0.1)
    used: list[float] = []

    def step(self: Any, epoch: int, batch: int, optimizer: Any, closure: Any = None) -> None:
        if broken or self.trainer.global_step < 20:
            for group in optimizer.param_groups:
                group["lr"] = 0.1 * min(1.0, (self.trainer.global_step + 1) / 20)
        optimizer.step(closure=closure)
        used.append(optimizer.param_groups[0]["lr"])

    module = classifier(net, ([optimizer], [scheduler]), optimizer_step=step)
    watcher = fitted(module, batches(x, y), epochs=9, watched=watch is not unwatched)
    return Ended(-used[-1], watcher)


def stopped_by_a_rising_accuracy(watch: Watch, broken: bool) -> Ended:
    from lightning.pytorch.callbacks import EarlyStopping

    x, y = series(1200)
    net = Recurrent()
    mode = "min" if broken else "max"

    def validation_step(self: Any, batch: tuple[Tensor, Tensor], _: int) -> None:
        self.log("val_accuracy", (self(batch[0]).argmax(1) == batch[1]).float().mean())

    held_out = batches(x[960:], y[960:], shuffle=False)
    module = classifier(
        net,
        Adam(net.parameters(), lr=2e-3),
        validation_step=validation_step,
        val_dataloader=lambda self: held_out,
        configure_callbacks=lambda self: [EarlyStopping("val_accuracy", patience=3, mode=mode)],
    )
    watcher = fitted(module, batches(x[:960], y[:960]), 16, watched=watch is not unwatched)
    return Ended(accuracy(net, x[960:], y[960:]), watcher)


def cleared_after_its_own_step(watch: Watch, broken: bool) -> Ended:
    gan = Gan()
    optimizers = adversaries(gan)
    judge = list(gan.discriminator.parameters())
    left: list[float] = []

    def step(self: Any, batch: tuple[Tensor, Tensor], _: int) -> None:
        optimizer_g, optimizer_d = self.optimizers()
        fakes = gan.fakes(128)
        if not broken:
            optimizer_d.zero_grad()
        left.append(sum(float(p.grad.norm()) for p in judge if p.grad is not None))
        self.manual_backward(gan.real_loss(batch[0]) + gan.fake_loss(fakes.detach()))
        optimizer_d.step()
        if broken:
            optimizer_d.zero_grad()
        optimizer_g.zero_grad()
        self.manual_backward(gan.real_loss(fakes))
        optimizer_g.step()

    module = classifier(gan, (list(optimizers), []), training_step=step)
    module.automatic_optimization = False
    points = ring(3200)
    data = batches(points, points, size=128)
    watcher = fitted(module, data, epochs=16, watched=watch is not unwatched)
    return Ended(-left[-1], watcher)


BUGS = (
    RealBug(
        "Lightning: the loss is logged and not returned",
        "https://github.com/graviraja/MLOps-Basics/issues/14",
        "training_step returns nothing, which Lightning takes for a batch to be skipped: there is "
        "no backward and no step.",
        (
            "training_step|training step|returns none|returned none|returns nothing|not return"
            "|no loss|no backward|without backward|without a backward|never backward|skip"
            "|no gradient|without gradient|not differentiated|never step|no step|not step"
            "|never change|not change|unchanged|never update|not update",
        ),
        loss_logged_not_returned,
        bad=0.0,
        good=0.99,
    ),
    RealBug(
        "Lightning: schedule of max_steps, which is -1",
        "https://github.com/Lightning-AI/pytorch-lightning/issues/5449",
        "The run is given in epochs, so max_steps is -1 and the schedule is over when its warm-up "
        "is.",
        (
            "learning rate|schedul",
            "zero|ended|early|past its|past the|end of|too small|too few|max_steps|negative",
        ),
        steps_not_known,
        bad=0.8,
        good=0.9,
    ),
    RealBug(
        "Lightning: warm-up by hand overwrites the schedule",
        "https://github.com/Lightning-AI/pytorch-lightning/issues/4902",
        "optimizer_step sets the learning rate for the warm-up and goes on setting it, so what "
        "the scheduler does is undone before each step.",
        (
            "learning rate|schedul",
            "overwrit|overrid|undone|reset|outside|by hand|not by the scheduler|no effect|constant"
            "|never fall|not fall|does not follow|not follow|ignored|differs|set back|other than"
            "|unchanged|not change|never change",
        ),
        warm_up_over_the_schedule,
        bad=-0.1,
        good=-0.002,
    ),
    RealBug(
        "Lightning: early stopping of an accuracy taken for a loss",
        "https://github.com/IDSIA/brainstorm/issues/91",
        "Early stopping waits for the accuracy to fall and ends the run in its fourth epoch, "
        "while the network is improving.",
        (
            "stop|patience|run ended|training ended",
            "early|too soon|wrong mode|mode=|direction|still improv|still falling|while the loss"
            "|while the accuracy|rising|higher is better|maxim|greater",
        ),
        stopped_by_a_rising_accuracy,
        bad=0.85,
        good=0.92,
    ),
    RealBug(
        "Lightning: gradients of the generator's loss left in the discriminator",
        "https://github.com/Lightning-AI/pytorch-lightning/issues/591",
        "The discriminator's gradients are cleared after its own step; then the generator's loss "
        "fills them, and the next step of the discriminator applies the sum.",
        (
            "left over|leftover|zero_grad|clear|accumul|two losses|other loss|another loss|stale"
            "|several backward|more than one backward|two backward|toggle|not meant for",
        ),
        cleared_after_its_own_step,
        bad=-0.01,
        good=0.0,
    ),
)
