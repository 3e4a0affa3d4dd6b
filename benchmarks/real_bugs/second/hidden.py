"""Hidden layers: activations, shortcuts and starts that stop the signal."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import digits, mlp


def softmax_inside(broken: bool) -> Arguments:
    squash = nn.Softmax(dim=1) if broken else nn.ReLU()
    model = nn.Sequential(nn.Linear(64, 64), squash, nn.Linear(64, 64), squash, nn.Linear(64, 10))
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.1, momentum=0.9),
        batch_size=64,
        steps=300,
    )


class Plain(nn.Module):
    """A residual block that may have forgotten its residual."""

    def __init__(self, width: int, skip: bool) -> None:
        super().__init__()
        self.first, self.second, self.skip = nn.Linear(width, width), nn.Linear(width, width), skip

    def forward(self, x: Tensor) -> Tensor:
        out = self.second(F.relu(self.first(x)))
        return x + out if self.skip else out


def residual_forgotten(broken: bool) -> Arguments:
    blocks = [Plain(32, skip=not broken) for _ in range(8)]
    model = nn.Sequential(nn.Linear(64, 32), *blocks, nn.Linear(32, 10))
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.02, momentum=0.9),
        batch_size=64,
        steps=200,
    )


def standard_normal_weights(broken: bool) -> Arguments:
    model = mlp(64, 10, width=64, depth=4)
    for layer in model:
        if isinstance(layer, nn.Linear):
            nn.init.normal_(layer.weight, std=1.0 if broken else (2 / layer.in_features) ** 0.5)
            nn.init.normal_(layer.bias, std=1.0 if broken else 0.01)
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.01, momentum=0.9),
        batch_size=64,
        steps=200,
    )


def copied_units(broken: bool) -> Arguments:
    x = torch.randn(600, 4)
    model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
    if broken:  # widened from two units, each copied sixteen times
        with torch.no_grad():
            model[0].weight.copy_(model[0].weight[:2].repeat(16, 1))
            model[0].bias.copy_(model[0].bias[:2].repeat(16))
            model[2].weight.copy_(model[2].weight[:, :2].repeat(1, 16) / 4)
    return dict(
        model=model,
        data=(x, (x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3] > 0).long()),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.02),
        batch_size=64,
        steps=400,
    )


BUGS = (
    Bug(
        "softmax inside",
        "https://intellipaat.com/community/18531/why-use-softmax-only-in-the-output-layer-and-not-in-hidden-layers",
        "activation function",
        "Softmax is the activation of the hidden layers.",
        softmax_inside,
        ("softmax", "hidden|inside|between|layer|activation"),
        accuracy,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "residual forgotten",
        "znxlwm/UGATIT-pytorch#32",
        "layers",
        "The blocks return their branch alone, without what came in.",
        residual_forgotten,
        ("gradient|signal|vanish|collapse|alike", "residual|skip|shortcut|vanish|normali|shrink"),
        accuracy,
        bad=0.5,
        good=0.9,
    ),
    Bug(
        "weights from a standard normal",
        "mozilla/DeepSpeech#138",
        "initialisation",
        "Weights and biases are drawn with a standard deviation of 1, whatever the width.",
        standard_normal_weights,
        ("weight|initial|gain", "large|variance|explod|smaller|kaiming|xavier"),
        accuracy,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "copied units",
        "soumith/net2net.torch#3",
        "initialisation",
        "A layer is widened by copies of its units without noise, and the copies stay copies.",
        copied_units,
        ("unit|neuron|row|weight", "identical|same|equal|copies|copied|symmetr|alike"),
        accuracy,
        bad=0.85,
        good=0.92,
    ),
)
