"""Hyperparameters and optimizer: rates, decay, steps, schedule, and what is optimized."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import StepLR

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import digits, mlp

KIND = "hyperparameters"
OPTIMIZER = "optimizer"


class Tagger(nn.Module):
    """A recurrent network that gives each word a tag."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(50, 16), nn.Linear(64, 5)
        self.reader = nn.GRU(16, 32, batch_first=True, bidirectional=True)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.reader(self.words(ids))[0])


def tagged_phrases(n: int = 400, length: int = 10) -> tuple[Tensor, Tensor]:
    """The tag of a word depends on itself and on the word before it."""
    ids = torch.randint(50, (n, length))
    before = F.pad(ids, (1, 0))[:, :-1]
    return ids, (ids + before) % 5


def tag_loss(out: Tensor, tags: Tensor) -> Tensor:
    return F.cross_entropy(out.flatten(0, 1), tags.flatten())


def tag_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return float((model(x).argmax(-1) == y).float().mean())


def learning_rate_too_high(broken: bool) -> Arguments:
    model = Tagger()
    return dict(
        model=model,
        data=tagged_phrases(),
        loss=tag_loss,
        optimizer=Adam(model.parameters(), lr=0.5 if broken else 0.01),
        batch_size=32,
        steps=250,
    )


def too_few_steps(broken: bool) -> Arguments:
    x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1), nn.Sigmoid())
    return dict(
        model=model,
        data=(x, torch.tensor([[0.0], [1.0], [1.0], [0.0]])),
        loss=nn.BCELoss(),
        optimizer=SGD(model.parameters(), lr=0.01 if broken else 0.5),
        batch_size=4,
        steps=2000,
    )


def weight_decay_too_strong(broken: bool) -> Arguments:
    model = mlp(64, 10)
    decay = 0.5 if broken else 5e-4
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=decay),
        batch_size=64,
        steps=200,
    )


def kept_share_for_dropped_share(broken: bool) -> Arguments:
    drop = 0.9 if broken else 0.1
    model = nn.Sequential(
        nn.Linear(64, 32),
        nn.ReLU(),
        nn.Dropout(drop),
        nn.Linear(32, 32),
        nn.ReLU(),
        nn.Dropout(drop),
        nn.Linear(32, 10),
    )
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=200,
    )


def schedule_per_batch(broken: bool) -> Arguments:
    model = mlp(64, 10)
    optimizer = SGD(model.parameters(), lr=0.1)
    epoch = 1 if broken else 1000 // 50
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=optimizer,
        scheduler=StepLR(optimizer, step_size=5 * epoch, gamma=0.5),
        batch_size=50,
        steps=300,
    )


def optimizer_of_the_old_network(broken: bool) -> Arguments:
    old, model = mlp(64, 10, depth=1), mlp(64, 10)
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam((old if broken else model).parameters(), lr=3e-3),
        batch_size=64,
        steps=200,
    )


def parameter_replaced_after_the_optimizer(broken: bool) -> Arguments:
    x, y = digits()
    model = mlp(64, 10, depth=4, width=16)
    optimizer = SGD(model.parameters(), lr=0.1)
    for layer in model:
        if isinstance(layer, nn.Linear):
            fresh = nn.init.kaiming_uniform_(torch.empty_like(layer.weight), nonlinearity="relu")
            if broken:
                layer.weight = nn.Parameter(fresh)
            else:
                layer.weight.data.copy_(fresh)
    return dict(
        model=model,
        data=(x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=optimizer,
        batch_size=64,
        steps=300,
    )


BUGS = (
    Bug(
        "learning rate too high",
        "guillaumegenthial/sequence_tagging#47",
        KIND,
        "A recurrent tagger is trained by Adam with a rate far above 0.001, and its loss rises.",
        learning_rate_too_high,
        ("learning rate", "high|large|lower|smaller|diverge"),
        tag_accuracy,
        bad=0.6,
        good=0.9,
    ),
    Bug(
        "too few steps for the rate",
        "https://geek-tips.imtqy.com/articles/631334/index.html (Stack Overflow)",
        KIND,
        "XOR is given 2000 steps of the default rate 0.01, which needs many times as many.",
        too_few_steps,
        ("learning rate|steps|epochs", "too low|too small|too few|more steps|longer|larger|raise"),
        accuracy,
        bad=0.8,
        good=1.0,
    ),
    Bug(
        "weight decay too strong",
        "BVLC/caffe#1396",
        KIND,
        "A weight decay of 0.5 pulls all weights to zero: every input has the same output.",
        weight_decay_too_strong,
        ("weight decay|weight_decay",),
        accuracy,
        bad=0.4,
        good=0.9,
    ),
    Bug(
        "kept share for dropped share",
        "bonlime/keras-deeplab-v3-plus#4",
        KIND,
        "A share to keep of 0.9 is given to a dropout that takes the share to drop.",
        kept_share_for_dropped_share,
        ("dropout",),
        accuracy,
        bad=0.75,
        good=0.9,
    ),
    Bug(
        "schedule stepped per batch",
        "ivadomed/ivadomed#55",
        KIND,
        "A schedule meant for epochs takes a step with every batch, and the rate is soon zero.",
        schedule_per_batch,
        ("schedule", "learning rate|lr|rate|decay"),
        accuracy,
        bad=0.4,
        good=0.75,
    ),
    Bug(
        "optimizer of the old network",
        "pytorch/pytorch#54765",
        OPTIMIZER,
        "The network is replaced, but the optimizer still has the parameters of the old one.",
        optimizer_of_the_old_network,
        ("optimizer", "own|hold|parameter|does not"),
        accuracy,
        bad=0.3,
        good=0.9,
    ),
    Bug(
        "weights replaced after the optimizer was made",
        "openvinotoolkit/nncf#327",
        OPTIMIZER,
        "An initialiser puts new weights in place of those the optimizer was given.",
        parameter_replaced_after_the_optimizer,
        ("optimizer", "own|hold|parameter|does not"),
        accuracy,
        bad=0.6,
        good=0.9,
    ),
)
