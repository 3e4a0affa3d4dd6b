"""Parts that should stay as they are and do not, and parts that should change and do not."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam, AdamW

from loops.planted import Watch
from loops.second.material import Backbone
from loops.third.material import batches, split_digits
from loops.third.real import Ended, RealBug, moved, weights


def pretrained(x: Tensor, y: Tensor) -> Backbone:
    model = Backbone()
    optimizer = Adam(model.parameters(), lr=2e-3)
    for _ in range(3):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return model


def statistics_of_a_frozen_part(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, _ = split_digits(images=True)
    model = pretrained(x, y)
    before = features_of(model, x_test)
    model.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(512, 10))
    model.features.requires_grad_(False)
    optimizer = Adam(model.head.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(6):
        model.train()
        if not broken:
            model.features.eval()
        for a, b in batches(-x, y):  # white on black becomes black on white
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(1 - float((features_of(model, x_test) - before).norm() / before.norm()))


@torch.no_grad()
def features_of(model: Backbone, x: Tensor) -> Tensor:
    return model.features.eval()(x)


def frozen_with_gradients_of_zero(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits(images=True)
    model = Backbone()
    optimizer = AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    watch(model, optimizer)
    for epoch in range(8):
        if epoch == 3:
            model.features.requires_grad_(False)
            before = weights(model.features)
        for a, b in batches(x, y):
            optimizer.zero_grad(set_to_none=not broken)
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(1 - moved(model.features, before))


class Tower(nn.Module):
    """Residual layers in a list, which the network knows of or does not."""

    def __init__(self, known: bool, width: int = 48, depth: int = 4) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(64, width), nn.Linear(width, 10)
        layers = [
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.ReLU())
            for _ in range(depth)
        ]
        self.layers = nn.ModuleList(layers) if known else layers

    def forward(self, x: Tensor) -> Tensor:
        h = self.first(x)
        for layer in self.layers:
            h = h + layer(h)
        return self.last(h)


def layers_in_a_list(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits()
    model = Tower(known=not broken)
    optimizer = Adam(model.parameters(), lr=1e-3)
    layers = nn.ModuleList(model.layers)
    before = weights(layers)
    watch(model, optimizer)
    for _ in range(6):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(moved(layers, before))


FROZEN = "frozen|freez|froze|requires_grad|requires grad|require grad"

BUGS = (
    RealBug(
        "running statistics of a frozen part",
        "https://discuss.pytorch.org/t/what-does-requires-grad-false-on-batchnorm2d-perform/137904",
        "The parameters are frozen, but batch norm stays in training mode and takes over the "
        "mean and variance of the new data.",
        ("batch norm|batchnorm|batch-norm|running|buffer", FROZEN + "|statistic|training mode"),
        statistics_of_a_frozen_part,
        bad=0.8,
        good=1.0,
    ),
    RealBug(
        "frozen parameters keep gradients of zero",
        "https://discuss.pytorch.org/t/"
        "why-there-is-still-a-small-change-in-frozen-layer-parameters/153740",
        "Gradients are set to zero, not to None, so the optimizer still applies momentum and "
        "weight decay to what was frozen.",
        (FROZEN, "momentum|moment|decay|still|zero|none|move|change|update"),
        frozen_with_gradients_of_zero,
        bad=0.05,
        good=1.0,
    ),
    RealBug(
        "layers in a Python list",
        "https://www.engineermaxxing.com/micro/lessons/pytorch-internals.html",
        "The layers are in a list and not in a ModuleList, so neither the network nor the "
        "optimizer knows their parameters.",
        (
            "regist|modulelist|python list|not part of|not in the model|outside the model"
            "|outside the network|no optimizer|not in the optimizer|not in any|not own"
            "|none of the opt|missing param|optimizer does not",
        ),
        layers_in_a_list,
        bad=0.0,
        good=0.99,
    ),
)
