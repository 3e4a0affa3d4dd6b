"""Loss function: the loss does not expect what the network or the data give it."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import cnn, digits, house_prices, mlp, sentences

KIND = "loss function"
PAD = 0


class ActivityNet(nn.Module):
    """A classifier whose forward ends in a softmax, or does not."""

    def __init__(self, softmax: bool) -> None:
        super().__init__()
        self.features, self.softmax = cnn(), softmax

    def forward(self, x: Tensor) -> Tensor:
        out = self.features(x)
        return F.softmax(out, dim=1) if self.softmax else out


def softmax_before_cross_entropy(broken: bool) -> Arguments:
    model = ActivityNet(softmax=broken)
    return dict(
        model=model,
        data=digits(images=True),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.1, momentum=0.5),
        batch_size=64,
        steps=200,
    )


class Recommender(nn.Module):
    """Whether a user likes an item, from the product of their vectors."""

    def __init__(self, sigmoid: bool) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(40, 8), nn.Embedding(40, 8)
        self.sigmoid = sigmoid

    def forward(self, pair: Tensor) -> Tensor:
        user, item = self.users(pair[:, 0]), self.items(pair[:, 1])
        liking = (user * item).sum(1)
        return liking.sigmoid() if self.sigmoid else liking


def tastes(n: int = 800) -> tuple[Tensor, Tensor]:
    """Users and items; users like the items of their own group."""
    pair = torch.randint(40, (n, 2))
    return pair, (pair[:, 0] % 4 == pair[:, 1] % 4).float()


def sigmoid_before_logits_loss(broken: bool) -> Arguments:
    model = Recommender(sigmoid=broken)
    return dict(
        model=model,
        data=tastes(),
        loss=nn.BCEWithLogitsLoss(),
        optimizer=Adam(model.parameters(), lr=0.02),
        batch_size=64,
        steps=400,
    )


def minus_log_loss(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return -float(F.binary_cross_entropy_with_logits(model(x), y))


def loss_that_broadcasts(broken: bool) -> Arguments:
    x, price = house_prices()
    model = mlp(6, 1)
    return dict(
        model=model,
        data=(x, (price.flatten() if broken else price) / 10),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


class TopicNet(nn.Module):
    """Mean of word vectors, then probabilities or their logarithms."""

    def __init__(self, log: bool) -> None:
        super().__init__()
        self.words, self.head, self.log = nn.Embedding(40, 16), nn.Linear(16, 4), log

    def forward(self, ids: Tensor) -> Tensor:
        out = self.head(self.words(ids).mean(1))
        return F.log_softmax(out, 1) if self.log else F.softmax(out, 1)


def likelihood_of_probabilities(broken: bool) -> Arguments:
    model = TopicNet(log=not broken)
    return dict(
        model=model,
        data=sentences(),
        loss=nn.NLLLoss(),
        optimizer=SGD(model.parameters(), lr=0.1),
        batch_size=32,
        steps=200,
    )


def padded_phrases(n: int = 400, length: int = 32) -> tuple[Tensor, Tensor]:
    """Short phrases in long rows: the tag of a word is its rest by 7, that of padding is 7."""
    ids = torch.randint(1, 60, (n, length))
    tags = ids % 7
    empty = torch.arange(length) >= torch.randint(2, 5, (n, 1))
    return ids.masked_fill(empty, PAD), tags.masked_fill(empty, 7)


def tag_loss(out: Tensor, tags: Tensor) -> Tensor:
    return F.cross_entropy(out.flatten(0, 1), tags.flatten())


def tag_loss_of_words(out: Tensor, tags: Tensor) -> Tensor:
    return F.cross_entropy(out.flatten(0, 1), tags.flatten(), ignore_index=7)


def word_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    words = x != PAD
    return float((model(x).argmax(-1) == y)[words].float().mean())


def padding_in_the_loss(broken: bool) -> Arguments:
    model = nn.Sequential(nn.Embedding(60, 16), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))
    return dict(
        model=model,
        data=padded_phrases(),
        loss=tag_loss if broken else tag_loss_of_words,
        optimizer=SGD(model.parameters(), lr=0.5),
        batch_size=32,
        steps=200,
    )


BUGS = (
    Bug(
        "softmax before cross-entropy",
        "jindongwang/Deep-learning-activity-recognition#10",
        KIND,
        "The forward applies a softmax and the cross-entropy loss applies another.",
        softmax_before_cross_entropy,
        ("softmax", "twice|logits|second|already"),
        accuracy,
        bad=0.8,
        good=0.9,
    ),
    Bug(
        "sigmoid before a loss of logits",
        "yudi-mars/daisyRec#15",
        KIND,
        "The scores go through a sigmoid and then through the sigmoid of BCEWithLogitsLoss.",
        sigmoid_before_logits_loss,
        ("sigmoid", "twice|logits|second|already"),
        minus_log_loss,
        bad=-0.4,
        good=-0.2,
    ),
    Bug(
        "loss that broadcasts",
        "pytorch/pytorch#16045",
        KIND,
        "Outputs of shape (n, 1) and targets of shape (n,) are compared all with all.",
        loss_that_broadcasts,
        ("broadcast",),
        explained,
        bad=0.3,
        good=0.8,
    ),
    Bug(
        "likelihood of probabilities",
        "AnubhavGupta3377/Text-Classification-Models-Pytorch#9",
        KIND,
        "NLLLoss, which wants logarithms, is given the probabilities of a softmax.",
        likelihood_of_probabilities,
        ("log", "softmax|probabilities"),
        accuracy,
        bad=0.8,
        good=0.9,
    ),
    Bug(
        "padding in the loss",
        "lucidrains/DALLE-pytorch#57",
        KIND,
        "Padding is nine tenths of the targets and is counted in the loss.",
        padding_in_the_loss,
        ("padding|pad|ignore_index|imbalance|most targets|one class",),
        word_accuracy,
        bad=0.7,
        good=0.9,
    ),
)
