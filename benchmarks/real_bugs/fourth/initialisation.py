"""Weights and biases that start where gradients vanish."""

from torch import nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.tasks import handwriting
from real_bugs.scores import accuracy
from real_bugs.tasks import mlp

KIND = "initialisation"


def default_in_twenty_layers(broken: bool) -> Arguments:
    data, held_out = handwriting()
    model = mlp(64, 10, width=48, depth=20)
    for layer in model:
        if isinstance(layer, nn.Linear) and not broken:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=1e-3),
        batch_size=64,
        steps=400,
    )


def biases_below_zero(broken: bool) -> Arguments:
    data, held_out = handwriting()
    model = mlp(64, 10)
    for layer in model[:-1]:
        if isinstance(layer, nn.Linear):
            low, high = (-4.0, -2.0) if broken else (0.0, 0.0)
            nn.init.uniform_(layer.bias, low, high)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=300,
    )


BUGS = (
    Bug(
        "default in twenty layers",
        "torch/nn#449 (Default initialization of modules)",
        KIND,
        "The default weights shrink signal and gradient in each of twenty layers with ReLU.",
        default_in_twenty_layers,
        (
            "initiali|weights|signal|activation|gradient|gain",
            "vanish|shrink|small|kaiming|gain|fade|die|decay",
        ),
        accuracy,
        bad=0.5,
        good=0.75,
    ),
    Bug(
        "biases below zero",
        "pytorch/benchmark#1927 (changed to proper Xavier initialization)",
        KIND,
        "The biases start far below zero, so that no hidden unit is ever active.",
        biases_below_zero,
        ("bias|dead|never active|inactive|relu", "unit|relu|bias|layer|neuron"),
        accuracy,
        bad=0.3,
        good=0.85,
    ),
)
