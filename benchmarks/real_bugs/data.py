"""Training data: its quality and its order."""

import torch
from torch import nn
from torch.optim import SGD, Adam
from torch.utils.data import DataLoader, TensorDataset

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, balanced_accuracy
from real_bugs.tasks import digits, mlp

KIND = "training data"


def sorted_by_class(broken: bool) -> Arguments:
    x, y = digits()
    order = y.argsort()
    model = mlp(64, 10)
    loader = DataLoader(TensorDataset(x[order], y[order]), batch_size=50, shuffle=not broken)
    return dict(
        model=model,
        data=loader,
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.05, momentum=0.9),
        batch_size=50,
        steps=100,
    )


def labels_of_another_order(broken: bool) -> Arguments:
    x, y = digits()
    order = torch.randperm(len(y))
    model = mlp(64, 10)
    return dict(
        model=model,
        data=(x[order], y if broken else y[order]),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=300,
    )


def rare_class(broken: bool) -> Arguments:
    n = 2000
    y = (torch.arange(n) % 100 == 0).long()
    x = torch.randn(n, 8) + 1.2 * y[:, None]
    model = mlp(8, 2)
    weight = None if broken else torch.tensor([1.0, 99.0])
    return dict(
        model=model,
        data=(x, y),
        loss=nn.CrossEntropyLoss(weight=weight),
        optimizer=SGD(model.parameters(), lr=0.02),
        batch_size=64,
        steps=250,
    )


def missing_value_in_the_data(broken: bool) -> Arguments:
    x, y = digits()
    x[17, 20] = float("nan") if broken else 0.0
    model = mlp(64, 10)
    return dict(
        model=model,
        data=(x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=100,
        steps=200,
    )


BUGS = (
    Bug(
        "training set sorted by class",
        "Deci-AI/super-gradients#416",
        KIND,
        "The loader does not shuffle a data set that is sorted by class.",
        sorted_by_class,
        ("sorted|shuffle|order",),
        accuracy,
        bad=0.6,
        good=0.9,
    ),
    Bug(
        "labels of another order",
        "Borda/kaggle_image-classify#12",
        KIND,
        "The samples are shuffled after the labels were taken, so that they no longer belong.",
        labels_of_another_order,
        ("label|target", "shuffle|random|unrelated|belong|match|noise"),
        accuracy,
        bad=0.6,
        good=0.95,
    ),
    Bug(
        "one class is rare",
        "dmlc/gluon-cv#644",
        KIND,
        "The foreground is 1 % of the samples and the loss is not weighted.",
        rare_class,
        ("imbalance|rare|balanced|weight", "class"),
        balanced_accuracy,
        bad=0.6,
        good=0.85,
    ),
    Bug(
        "missing value in the data",
        "keras-team/keras#6447",
        KIND,
        "One feature of one sample is NaN and spoils every weight within an epoch.",
        missing_value_in_the_data,
        ("nan|finite|missing", "input|data|sample"),
        accuracy,
        bad=0.3,
        good=0.9,
    ),
)
