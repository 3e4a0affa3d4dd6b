"""Layers and activations: missing, redundant, of the wrong kind or size."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import digits, moons

KIND = "layers"
ACTIVATION = "activation function"


class PlainMlp(nn.Module):
    """Linear layers, between which an activation may have been forgotten."""

    def __init__(self, activation: bool) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(2, 32), nn.Linear(32, 32)
        self.last, self.activation = nn.Linear(32, 2), activation

    def forward(self, x: Tensor) -> Tensor:
        for layer in (self.first, self.second):
            x = F.relu(layer(x)) if self.activation else layer(x)
        return self.last(x)


def no_activation(broken: bool) -> Arguments:
    model = PlainMlp(activation=not broken)
    return dict(
        model=model,
        data=moons(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


def relu_on_a_line(broken: bool) -> Arguments:
    x = torch.linspace(-1, 5, 64)[:, None]
    model = nn.Sequential(
        nn.Linear(1, 8),
        nn.ReLU(),
        nn.Linear(8, 4),
        nn.ReLU(),
        nn.Linear(4, 1),
        nn.ReLU() if broken else nn.Identity(),
    )
    with torch.no_grad():
        model[4].weight.abs_().neg_()  # an unlucky start, as most of the runs of the post had
    return dict(
        model=model,
        data=(x, 2 * x - 1),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=32,
        steps=600,
    )


def four_sigmoid_layers(broken: bool) -> Arguments:
    x = torch.randint(2, (600, 16)).float()
    y = (x @ torch.randn(16, 1)) + 2 * (x[:, :1] * x[:, 1:2])
    layers: list[nn.Module] = []
    for inputs in (16, 50, 50, 50):
        layers += [nn.Linear(inputs, 50), nn.Sigmoid() if broken else nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(50, 1))
    return dict(
        model=model,
        data=(x, (y - y.mean()) / y.std()),
        loss=nn.MSELoss(),
        optimizer=SGD(model.parameters(), lr=0.05),
        batch_size=50,
        steps=400,
    )


def dropout_on_the_output(broken: bool) -> Arguments:
    x, y = digits()
    model = nn.Sequential(
        nn.Linear(64, 14),
        nn.ReLU(),
        nn.Dropout(0.5 if broken else 0.0),
        nn.Linear(14, 8),
        nn.ReLU(),
        nn.Dropout(0.5 if broken else 0.0),
        nn.Linear(8, 10),
        nn.Softmax(dim=1),
        nn.Dropout(0.5 if broken else 0.0),
    )
    return dict(
        model=model,
        data=(x, F.one_hot(y, 10).float()),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=400,
    )


def one_hot_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return accuracy(model, x, y.argmax(1))


class Residual(nn.Module):
    """A residual block that should normalise what its linear layer gives."""

    def __init__(self, width: int, lost: bool) -> None:
        super().__init__()
        self.linear, self.norm, self.lost = nn.Linear(width, width), nn.LayerNorm(width), lost

    def forward(self, x: Tensor) -> Tensor:
        out = self.linear(x)
        out = self.norm(x if self.lost else out)
        return x + F.relu(out)


def rings(n: int = 600) -> tuple[Tensor, Tensor]:
    """Points in eight dimensions, their class by the product of signs of three coordinates."""
    x = torch.randn(n, 8)
    return x, (x[:, 0] * x[:, 1] * x[:, 2] > 0).long()


def output_of_the_layer_lost(broken: bool) -> Arguments:
    blocks = [Residual(8, lost=broken) for _ in range(4)]
    model = nn.Sequential(*blocks, nn.Linear(8, 2))
    return dict(
        model=model,
        data=rings(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=400,
    )


BUGS = (
    Bug(
        "no activation between linear layers",
        "YujiaBao/ls#1",
        ACTIVATION,
        "The ReLUs of the paper are missing from the code: the network is one linear map.",
        no_activation,
        ("linear", "activation|non-linear|nonlinear|relu"),
        accuracy,
        bad=0.92,
        good=0.97,
    ),
    Bug(
        "ReLU on the output of a line",
        "https://community.deeplearning.ai/t/loss-values-do-not-change/324182",
        ACTIVATION,
        "A ReLU ends a regression on a line; once its unit is dead the loss never changes.",
        relu_on_a_line,
        ("relu|negative|range|dead", "output|last|target"),
        explained,
        bad=0.3,
        good=0.95,
    ),
    Bug(
        "four layers of sigmoids",
        "https://ai.stackexchange.com/questions/16557",
        ACTIVATION,
        "Sigmoids in four hidden layers let the gradient vanish.",
        four_sigmoid_layers,
        ("gradient|signal|sigmoid", "vanish|saturat|shrink|fade"),
        explained,
        bad=0.2,
        good=0.8,
    ),
    Bug(
        "dropout on the output",
        "keras-team/keras#5992",
        KIND,
        "Tiny hidden layers, and even the probabilities, lose half of their values by dropout.",
        dropout_on_the_output,
        ("dropout",),
        one_hot_accuracy,
        bad=0.75,
        good=0.85,
    ),
    Bug(
        "output of the layer is lost",
        "snehasinghania/STResNet#1",
        KIND,
        "The norm of a block is given the input of the block, so that its layer does nothing.",
        output_of_the_layer_lost,
        ("unused|not used|never|no gradient|reach", "layer|parameter|linear|weight"),
        accuracy,
        bad=0.6,
        good=0.75,
    ),
)
