"""Optimizers and schedules that are told the wrong thing."""

from collections.abc import Callable

from torch import nn
from torch.optim import SGD, Adam, Optimizer
from torch.optim.lr_scheduler import LambdaLR, LRScheduler, StepLR

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.second.places import PlaceLoss, Speaker
from real_bugs.second.tasks import clothes
from real_bugs.tasks import cnn, mlp
from real_bugs.third.scores import place_accuracy
from real_bugs.third.tasks import numbers, tags

KIND = "optimizer"


def digits_with(
    optimizer: Callable[[nn.Module], Optimizer],
    scheduler: Callable[[Optimizer], LRScheduler] | None = None,
    *,
    images: bool = False,
    steps: int = 250,
) -> Arguments:
    """Digits, a small network and the optimizer in question."""
    data, held_out = numbers(images)
    model = cnn() if images else mlp(64, 10)
    chosen = optimizer(model)
    schedule = {} if scheduler is None else {"scheduler": scheduler(chosen)}
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=chosen,
        batch_size=64,
        steps=steps,
        **schedule,
    )


def rate_for_factor(broken: bool) -> Arguments:
    rate = 3e-3

    def decayed(step: int) -> float:
        factor = (1 + 0.001 * step) ** -0.75
        return rate * factor if broken else factor

    return digits_with(
        lambda model: Adam(model.parameters(), lr=rate), lambda o: LambdaLR(o, decayed)
    )


def thousandth_after_twenty_steps(broken: bool) -> Arguments:
    def schedule(optimizer: Optimizer) -> LRScheduler:
        if broken:
            return StepLR(optimizer, step_size=20, gamma=0.001)
        return StepLR(optimizer, step_size=1, gamma=0.999)

    return digits_with(
        lambda model: SGD(model.parameters(), lr=0.05, momentum=0.9), schedule, images=True
    )


def tenth_for_epsilon(broken: bool) -> Arguments:
    eps = 0.1 if broken else 1e-8
    return digits_with(lambda model: Adam(model.parameters(), lr=2e-3, eps=eps))


def dampened(broken: bool) -> Arguments:
    dampening = 0.9 if broken else 0.0
    return digits_with(
        lambda model: SGD(model.parameters(), lr=0.02, momentum=0.9, dampening=dampening),
        images=True,
    )


def uphill(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = clothes(1000)
    model = cnn()
    model[-1] = nn.Linear(16 * 7 * 7, 10)
    return dict(
        model=model,
        data=(x, y),
        held_out=(x_held, y_held),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=2e-3, maximize=broken),
        batch_size=64,
        steps=200,
    )


def steps_counted_short(broken: bool) -> Arguments:
    data, held_out = tags()
    model = Speaker(12, width=32)
    model.head = nn.Linear(32, 4)
    optimizer = Adam(model.parameters(), lr=0.01)
    planned = 25 if broken else 250
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=PlaceLoss(),
        optimizer=optimizer,
        scheduler=LambdaLR(optimizer, lambda step: max(0.0, 1 - (step + 1) / planned)),
        batch_size=64,
        steps=200,
    )


BUGS = (
    Bug(
        "rate for factor",
        "lhoyer/MIC#60",
        "hyperparameters",
        "The function of LambdaLR returns the learning rate, which is then multiplied by itself.",
        rate_for_factor,
        (
            "learning rate|lambdalr|schedul|lr",
            "small|low|slow|too little|multipl|factor|twice|larger|raise|barely",
        ),
        accuracy,
        bad=0.6,
        good=0.9,
    ),
    Bug(
        "a thousandth after twenty steps",
        "shayneobrien/coreference-resolution#22",
        "hyperparameters",
        "The schedule multiplies the rate by 0.001 at once, where 0.999 at every step was meant.",
        thousandth_after_twenty_steps,
        (
            "learning rate|schedul|gamma|steplr|decay",
            "small|low|zero|early|soon|slow|vanish|decay|fast|gamma",
        ),
        accuracy,
        bad=0.8,
        good=0.9,
    ),
    Bug(
        "a tenth for epsilon",
        "mlpnlp/mlpnlp-nmt#4",
        KIND,
        "Adam's epsilon is 0.1, far above the size of any gradient, and shrinks every update.",
        tenth_for_epsilon,
        ("epsilon|eps=|`eps`| eps |eps of", "large|gradient|shrink|small|update|dominat|smaller"),
        accuracy,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "momentum dampened",
        "intel/analytics-zoo#1038",
        KIND,
        "Dampening is as large as the momentum, so that every update is a tenth of what was meant.",
        dampened,
        (
            "dampening|dampen|learning rate|lr",
            "dampen|small|low|slow|larger|raise|too little|effective",
        ),
        accuracy,
        bad=0.85,
        good=0.9,
    ),
    Bug(
        "uphill",
        "nothinglo/Deep-Photo-Enhancer#57",
        KIND,
        "The optimizer maximises a loss that is to be minimised.",
        uphill,
        ("maximi|ascen|sign|uphill|wrong direction",),
        accuracy,
        bad=0.2,
        good=0.7,
    ),
    Bug(
        "steps counted short",
        "castorini/hedwig#30",
        "hyperparameters",
        "The planned steps are counted wrong, so that the rate is zero after a tenth of them.",
        steps_counted_short,
        (
            "learning rate|schedul|lambdalr|decay",
            "zero|early|soon|ends|end |vanish|small|low|decay",
        ),
        place_accuracy,
        bad=0.6,
        good=0.9,
    ),
)
