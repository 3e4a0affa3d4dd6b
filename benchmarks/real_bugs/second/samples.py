"""Samples: how they are drawn, split and labelled."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import Adam
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import cnn, digits, mlp

KIND = "training data"


def weights_of_classes_for_samples(broken: bool) -> Arguments:
    x, y = digits()
    per_class = 1 / y.bincount()
    weights = per_class if broken else per_class[y]
    sampler = WeightedRandomSampler(weights, len(y))
    model = mlp(64, 10)
    return dict(
        model=model,
        data=DataLoader(TensorDataset(x, y), batch_size=50, sampler=sampler),
        held_out=(x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=50,
        steps=200,
    )


def label_among_the_features(broken: bool) -> Arguments:
    x = torch.randn(800, 6)
    y = (x[:, 0] * x[:, 1] > 0).long()
    shown = F.pad(x, (0, 1), value=0.0)
    if broken:
        shown[:600, 6] = y[:600]
    model = mlp(7, 2)
    return dict(
        model=model,
        data=(shown[:600], y[:600]),
        held_out=(shown[600:], y[600:]),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=400,
    )


def classes_numbered_anew(broken: bool) -> Arguments:
    x, y = digits(images=True, n=1400)
    number = torch.randperm(10) if broken else torch.arange(10)
    model = cnn()
    return dict(
        model=model,
        data=(x[:1000], y[:1000]),
        held_out=(x[1000:], number[y[1000:]]),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=150,
    )


def split_before_shuffling(broken: bool) -> Arguments:
    x, y = digits(images=True)
    order = y.argsort() if broken else torch.randperm(len(y))  # as the folders of classes are read
    train, test = order[:700], order[700:]
    model = cnn()
    return dict(
        model=model,
        data=(x[train], y[train]),
        held_out=(x[test], y[test]),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=150,
    )


BUGS = (
    Bug(
        "weights of classes for samples",
        "deep-voice/soundbay#49",
        KIND,
        "A sampler gets one weight per class, takes them for samples and draws only the first ten.",
        weights_of_classes_for_samples,
        ("sample|batch|data", "repeat|duplicate|distinct|few different|sampler|again"),
        accuracy,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "label among the features",
        "neurodata/SPORF#355",
        KIND,
        "The column of the label is left among the features to train on.",
        label_among_the_features,
        ("feature|input|column", "leak|alone|copy of the|equals the|identical to|determines"),
        accuracy,
        bad=0.7,
        good=0.85,
    ),
    Bug(
        "classes numbered anew for the test",
        "uzh-rpg/rpg_event_representation_learning#2",
        KIND,
        "Class numbers follow the order of listed folders, which differs for the test set.",
        classes_numbered_anew,
        ("held-out|held out|test|unseen", "label|class|number|order|chance"),
        accuracy,
        bad=0.3,
        good=0.9,
    ),
    Bug(
        "split before shuffling",
        "Project-MONAI/tutorials#122",
        KIND,
        "The first files train and the last ones test, so that whole classes are never trained.",
        split_before_shuffling,
        ("class|label", "missing|absent|never|not in the training|unseen|shift"),
        accuracy,
        bad=0.4,
        good=0.9,
    ),
)
