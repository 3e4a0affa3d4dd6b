"""Wiring: layers that are not registered, not reached by the gradient, or not trained."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import cnn, digits, mlp

KIND = "wiring"


class Stack(nn.Module):
    """Hidden layers in a list, which a module sees only if it is a ModuleList."""

    def __init__(self, listed: bool) -> None:
        super().__init__()
        hidden = [nn.Linear(6 if k == 0 else 8, 8) for k in range(4)]
        self.hidden = hidden if listed else nn.ModuleList(hidden)
        self.classifier = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.classifier(x)


def three_regions(n: int = 600) -> tuple[Tensor, Tensor]:
    """Three classes by products of coordinates."""
    x = torch.randn(n, 6)
    return x, (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > 0.5).long()


def layers_in_a_plain_list(broken: bool) -> Arguments:
    model = Stack(listed=broken)
    return dict(
        model=model,
        data=three_regions(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=500,
    )


class TwoTowers(nn.Module):
    """A head on the features of an encoder, which may be cut off."""

    def __init__(self, detached: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
        self.head, self.detached = nn.Linear(8, 3), detached

    def forward(self, x: Tensor) -> Tensor:
        features = self.encoder(x)
        return self.head(features.detach() if self.detached else features)


def encoder_detached(broken: bool) -> Arguments:
    model = TwoTowers(detached=broken)
    return dict(
        model=model,
        data=three_regions(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=500,
    )


def random_layers_frozen(broken: bool) -> Arguments:
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, stride=2, padding=1),
        nn.Tanh(),
        nn.Conv2d(4, 4, 3, stride=2, padding=1),
        nn.Tanh(),
        nn.Flatten(),
        nn.Linear(16, 10),
    )
    for layer in (model[0], model[2]):
        layer.requires_grad_(not broken)
    return dict(
        model=model,
        data=digits(images=True),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam([p for p in model.parameters() if p.requires_grad], lr=0.01),
        batch_size=64,
        steps=300,
    )


class Pipeline(nn.Module):
    """A first network chooses one of eight codes, a second one reads the chosen code."""

    def __init__(self, hard: bool) -> None:
        super().__init__()
        self.chooser, self.reader, self.hard = mlp(6, 8, width=16), mlp(8, 3, width=16), hard

    def forward(self, x: Tensor) -> Tensor:
        choice = self.chooser(x)
        code = F.one_hot(choice.argmax(1), 8).float() if self.hard else choice.softmax(1)
        return self.reader(code)


def argmax_between_two_networks(broken: bool) -> Arguments:
    model = Pipeline(hard=broken)
    return dict(
        model=model,
        data=three_regions(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=500,
    )


class Gated(nn.Module):
    """Vision features to which a gate adds what a second input says."""

    def __init__(self, both_zero: bool) -> None:
        super().__init__()
        self.vision, self.words = nn.Linear(6, 16), nn.Linear(6, 16)
        self.gate = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))
        self.head = nn.Linear(16, 2)
        nn.init.zeros_(self.gate[2].weight)
        nn.init.zeros_(self.gate[2].bias)
        if both_zero:
            nn.init.zeros_(self.gate[0].weight)
            nn.init.zeros_(self.gate[0].bias)

    def forward(self, pair: Tensor) -> Tensor:
        seen, said = pair[:, :6], pair[:, 6:]
        return self.head(self.vision(seen) + self.gate(self.words(said)))


def gate_zeroed_twice(broken: bool) -> Arguments:
    pair = torch.randn(600, 12)
    y = (pair[:, 0] + 2 * pair[:, 6].abs() - 1.6 > 0).long()
    model = Gated(both_zero=broken)
    return dict(
        model=model,
        data=(pair, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.1, momentum=0.9),
        batch_size=64,
        steps=300,
    )


class SharedCnn(nn.Module):
    """Functional dropout that does, or does not, know the mode of the module."""

    def __init__(self, always: bool) -> None:
        super().__init__()
        self.body, self.head, self.always = cnn(32), nn.Linear(32, 10), always

    def forward(self, x: Tensor) -> Tensor:
        features = F.relu(self.body(x))
        return self.head(F.dropout(features, 0.6, training=self.always or self.training))


def dropout_left_on(broken: bool) -> Arguments:
    model = SharedCnn(always=broken)
    return dict(
        model=model,
        data=digits(images=True),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=80,
    )


BUGS = (
    Bug(
        "layers in a plain list",
        "pytorch/pytorch#715",
        KIND,
        "Hidden layers in a Python list are no parameters of the module and stay random.",
        layers_in_a_plain_list,
        ("list|modulelist|register|parameters()",),
        accuracy,
        bad=0.75,
        good=0.9,
    ),
    Bug(
        "encoder detached",
        "lucidrains/CoCa-pytorch#6",
        KIND,
        "The extractor returns detached features, so that the encoder gets no gradient.",
        encoder_detached,
        ("detach|no gradient|none", "encoder"),
        accuracy,
        bad=0.75,
        good=0.88,
    ),
    Bug(
        "random layers frozen",
        "pytorch/vision#2164",
        KIND,
        "The first layers are frozen as in fine-tuning although nothing was pretrained.",
        random_layers_frozen,
        ("requires_grad|frozen|freeze",),
        accuracy,
        bad=0.85,
        good=0.9,
    ),
    Bug(
        "argmax between two networks",
        "pytorch/pytorch#1339",
        KIND,
        "An argmax stands between two networks, and the first one gets no gradient.",
        argmax_between_two_networks,
        ("argmax|gradient|differentiable|detach", "chooser"),
        accuracy,
        bad=0.75,
        good=0.88,
    ),
    Bug(
        "gate zeroed twice",
        "yz93/LAVT-RIS#25",
        "initialisation",
        "Both layers of a gate start at zero, so that the gradient of both is zero for ever.",
        gate_zeroed_twice,
        ("gate", "zero"),
        accuracy,
        bad=0.75,
        good=0.88,
    ),
    Bug(
        "dropout left on",
        "Coderx7/SimpleNet#2",
        "validation",
        "Functional dropout is told that it always trains: answers are random after eval().",
        dropout_left_on,
        ("dropout|random",),
        accuracy,
        bad=0.75,
        good=0.88,
    ),
)
