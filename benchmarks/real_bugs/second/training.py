"""Training: rates, schedules, batch sizes."""

from torch import nn
from torch.optim import SGD, Adadelta, Adam
from torch.optim.lr_scheduler import LambdaLR

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.second.places import PlaceLoss, Speaker
from real_bugs.second.scores import token_accuracy
from real_bugs.second.tasks import clothes, letters
from real_bugs.tasks import digits, house_prices, mlp

KIND = "hyperparameters"


class Warmup:
    """Learning rate that grows in proportion to the steps, up to its full value."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def __call__(self, step: int) -> float:
        return min(1.0, (step + 1) / self.steps)


def warmup_longer_than_the_run(broken: bool) -> Arguments:
    ids, k = letters(length=25)
    model = Speaker(k)
    optimizer = Adam(model.parameters(), lr=0.01)
    return dict(
        model=model,
        data=(ids[:, :-1], ids[:, 1:]),
        loss=PlaceLoss(),
        optimizer=optimizer,
        scheduler=LambdaLR(optimizer, Warmup(20_000 if broken else 20)),
        batch_size=32,
        steps=150,
    )


def adadelta_at_a_thousandth(broken: bool) -> Arguments:
    (x, _), _ = clothes()
    x = x.flatten(1)
    model = nn.Sequential(nn.Linear(196, 32), nn.ReLU(), nn.Linear(32, 196), nn.Sigmoid())
    return dict(
        model=model,
        data=(x, x.clone()),
        loss=nn.BCELoss(),
        optimizer=Adadelta(model.parameters(), lr=1e-3 if broken else 1.0),
        batch_size=64,
        steps=300,
    )


def rate_too_small(broken: bool) -> Arguments:
    x, price = house_prices()
    model = mlp(6, 1)
    return dict(
        model=model,
        data=(x, (price - price.mean()) / price.std()),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=1e-6 if broken else 5e-3),
        batch_size=64,
        steps=400,
    )


def batch_norm_of_single_samples(broken: bool) -> Arguments:
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(64, 10),
    )
    return dict(
        model=model,
        data=digits(images=True),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.05, momentum=0.9),
        batch_size=1 if broken else 32,
        steps=400,
    )


BUGS = (
    Bug(
        "warm-up longer than the run",
        "Morizeyao/GPT2-Chinese#60",
        KIND,
        "The learning rate grows over far more steps than are taken and never arrives.",
        warmup_longer_than_the_run,
        ("learning rate|schedule|warm", "small|low|warm|never|schedule"),
        token_accuracy,
        bad=0.25,
        good=0.35,
    ),
    Bug(
        "Adadelta at a thousandth",
        "tensorflow/tensorflow#39432",
        KIND,
        "Adadelta, made for a learning rate of 1, is given 0.001.",
        adadelta_at_a_thousandth,
        ("learning rate", "small|low|larger|raise|increase"),
        explained,
        bad=0.1,
        good=0.3,
    ),
    Bug(
        "learning rate too small",
        "isp1tze/MAProj#3",
        KIND,
        "A learning rate of a millionth moves nothing in the steps that are planned.",
        rate_too_small,
        ("learning rate", "small|low|larger|raise|increase"),
        explained,
        bad=0.1,
        good=0.8,
    ),
    Bug(
        "batch norm of single samples",
        "microsoft/CNTK#905",
        KIND,
        "Batch norm is trained with one sample per batch, whose statistics are not those of data.",
        batch_norm_of_single_samples,
        ("batch", "norm|statistic|eval"),
        accuracy,
        bad=0.75,
        good=0.9,
    ),
)
