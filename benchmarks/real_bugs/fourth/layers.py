"""Layers of the wrong size, in the wrong order or without what they should pass on."""

import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.tasks import dots, handwriting, quadrants, split, topics
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import mlp

KIND = "layers"


def two_units(broken: bool) -> Arguments:
    data, held_out = quadrants()
    model = mlp(2, 2, width=2 if broken else 32, depth=1)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=600,
    )


def statistics_of_the_last_batch(broken: bool) -> Arguments:
    data, held_out = handwriting()
    momentum = 0.999 if broken else 0.01
    layers: list[nn.Module] = []
    for _ in range(3):
        layers += [nn.Linear(64, 64), nn.BatchNorm1d(64, momentum=momentum), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(64, 10))
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.002, momentum=0.9),
        batch_size=4,
        steps=1400,
    )


class Block(nn.Module):
    """One layer of a transformer, with the norm before or after its two parts."""

    def __init__(self, width: int, norm_first: bool) -> None:
        super().__init__()
        self.attend = nn.MultiheadAttention(width, 2, batch_first=True)
        self.think = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, width))
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.norm_first = norm_first

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.norms
        if self.norm_first:
            h = first(x)
            x = x + self.attend(h, h, h, need_weights=False)[0]
            return x + self.think(second(x))
        x = first(x + self.attend(x, x, x, need_weights=False)[0])
        return second(x + self.think(x))


class Transformer(nn.Module):
    """Which topic are the words about?"""

    def __init__(self, depth: int, norm_first: bool, width: int = 16) -> None:
        super().__init__()
        self.word = nn.Embedding(40, width)
        self.blocks = nn.Sequential(*[Block(width, norm_first) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 4)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.norm(self.blocks(self.word(ids))).mean(1))


def norm_after_eighteen_layers(broken: bool) -> Arguments:
    data, held_out = topics(length=6)
    model = Transformer(18, norm_first=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=32,
        steps=100,
    )


def place_averaged_away(broken: bool) -> Arguments:
    x, dot = dots(1000)
    place = dot.flatten(1).argmax(1)
    y = torch.stack([place // 12, place % 12], 1) / 5.5 - 1  # row and column
    data, held_out = split(x, y, 200)
    pooled = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 64)]
    kept = [nn.Flatten(), nn.Linear(16 * 36, 64)]
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        *(pooled if broken else kept),
        nn.ReLU(),
        nn.Linear(64, 2),
    )
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=300,
    )


def channels_that_never_meet(broken: bool) -> Arguments:
    sign = torch.randint(2, (1100, 2, 1, 1)) * 2.0 - 1
    x = sign * torch.rand(1100, 2, 6, 6) + 0.3 * torch.randn(1100, 2, 6, 6)
    data, held_out = split(x, (sign[:, 0] == sign[:, 1]).flatten().long(), 300)
    groups = 2 if broken else 1
    model = nn.Sequential(
        nn.Conv2d(2, 16, 3, padding=1, groups=groups),
        nn.ReLU(),
        nn.Conv2d(16, 16, 1, groups=groups),
        nn.ReLU(),
        nn.Conv2d(16, 16, 1, groups=groups),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 2),
    )
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=300,
    )


BUGS = (
    Bug(
        "two units",
        "https://stats.stackexchange.com/questions/320672 (Clarification on simple perceptron "
        "neural network)",
        KIND,
        "Two hidden units with ReLU cannot tell the four quadrants of an exclusive or apart.",
        two_units,
        (
            "unit|width|hidden|neuron|capacity|parameter|layer",
            "few|narrow|small|more|wider|capacity|bottleneck|dead|underfit",
        ),
        accuracy,
        bad=0.88,
        good=0.93,
    ),
    Bug(
        "statistics of the last batch",
        "kazuto1011/deeplab-pytorch#79 (BatchNorm Momentum Setting in Pytorch)",
        KIND,
        "The momentum 0.999, meant for another library, keeps only the last batch's statistics.",
        statistics_of_the_last_batch,
        (
            "batch norm|batchnorm|running",
            "momentum|running|statistics|eval",
        ),
        accuracy,
        bad=0.82,
        good=0.88,
    ),
    Bug(
        "norm after eighteen layers",
        "pytorch/pytorch#55270 (I think your transformer implementation is flawed)",
        KIND,
        "With the norm after each sum, eighteen layers do not train without a warm-up.",
        norm_after_eighteen_layers,
        (
            "norm|warm-up|warmup|residual|deep|depth|learning rate",
            "pre-norm|norm_first|before|warm|post|vanish|gradient|residual|alike|collapse|high|"
            "rank|unstable|large",
        ),
        accuracy,
        bad=0.7,
        good=0.85,
    ),
    Bug(
        "place averaged away",
        "guoqiangqi/PFLD#44 (Some problems about concat feature)",
        KIND,
        "Average pooling over the whole map comes before the layer that is to give coordinates.",
        place_averaged_away,
        (
            "pool|spatial|position|place|location|shift|translation|order",
            "average|global|pool|lost|lose|invarian|ignore|flatten|same output|discard",
        ),
        explained,
        bad=0.6,
        good=0.85,
    ),
    Bug(
        "channels that never meet",
        "weiaicunzai/pytorch-cifar100#40 (shouldn't group in_channels inside 1x1 conv)",
        KIND,
        "All convolutions are grouped, so that the two channels are only added at the end.",
        channels_that_never_meet,
        ("group|channel", "group|mix|separate|depthwise|combine|interact|independent|never meet"),
        accuracy,
        bad=0.7,
        good=0.9,
    ),
)
