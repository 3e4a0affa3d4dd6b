"""Optimizers and their settings."""

from torch import Tensor, nn
from torch.optim import SGD, Adagrad, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.tasks import handwriting, homes, sums, topics
from real_bugs.scores import accuracy, explained
from real_bugs.second.places import PlaceLoss, Speaker
from real_bugs.second.scores import token_accuracy
from real_bugs.tasks import mlp


class Topic(nn.Module):
    """Which topic are the words about?"""

    def __init__(self) -> None:
        super().__init__()
        self.word, self.rnn = nn.Embedding(40, 16), nn.LSTM(16, 32, batch_first=True)
        self.head = nn.Linear(32, 4)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.rnn(self.word(ids))[0].mean(1))


def rate_of_one(broken: bool) -> Arguments:
    model = Speaker(9, width=32)
    model.rnn = nn.LSTM(32, 32, num_layers=2, batch_first=True)
    return dict(
        model=model,
        data=sums(800, 9),
        held_out=sums(200, 9),
        loss=PlaceLoss(),
        optimizer=Adam(model.parameters(), lr=1.0 if broken else 0.01),
        batch_size=64,
        steps=250,
    )


def momentum_of_zero(broken: bool) -> Arguments:
    data, held_out = topics()
    model = Topic()
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.02, momentum=0.0 if broken else 0.9),
        batch_size=64,
        steps=250,
    )


def steps_that_shrink(broken: bool) -> Arguments:
    data, held_out = homes()
    model = mlp(6, 1)
    rate = 0.0005 if broken else 0.05
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.MSELoss(),
        optimizer=Adagrad(model.parameters(), lr=rate),
        batch_size=64,
        steps=500,
    )


def velocity_without_friction(broken: bool) -> Arguments:
    data, held_out = handwriting()
    model = mlp(64, 10)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.05, momentum=1.0 if broken else 0.9),
        batch_size=64,
        steps=400,
    )


BUGS = (
    Bug(
        "rate of one",
        "rajveermalviya/language-modeling#3 (Adam's learning rate)",
        "hyperparameters",
        "Adam has the learning rate 1.0 that was meant for plain gradient descent.",
        rate_of_one,
        ("learning rate", "high|large|diverge|unstable|big|lower|smaller|reduce|above"),
        token_accuracy,
        bad=0.85,
        good=0.95,
    ),
    Bug(
        "momentum of zero",
        "apache/mxnet#2697 (Why set momentum = 0 in lstm_bucketing example)",
        "hyperparameters",
        "Without momentum the steps are ten times too short for the run.",
        momentum_of_zero,
        (
            "momentum|learning rate|steps|optimizer",
            "small|low|slow|short|few|raise|higher|momentum",
        ),
        accuracy,
        bad=0.72,
        good=0.85,
    ),
    Bug(
        "steps that shrink",
        "facebookresearch/dlrm#64 (Adagrad doesn't learn, gradients quickly reaches to zero)",
        "optimizer",
        "Adagrad divides by all gradients so far; at this rate its steps are soon too short.",
        steps_that_shrink,
        (
            "learning rate|adagrad|steps",
            "small|low|slow|short|few|shrink|decay|accumul|raise|higher",
        ),
        explained,
        bad=0.4,
        good=0.8,
    ),
    Bug(
        "velocity without friction",
        "ooples/AiDotNet#2008 (GradientBasedOptimizerBase.ApplyMomentum applies the coefficient to "
        "the wrong term - velocity never decays)",
        "optimizer",
        "The velocity is a sum of all gradients that never decays, as with a momentum of 1.",
        velocity_without_friction,
        ("momentum|velocity",),
        accuracy,
        bad=0.6,
        good=0.85,
    ),
)
