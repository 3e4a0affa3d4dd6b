"""Validation that takes part in the training, and data that do not come as they should."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim import SGD, Adam
from torch.utils.data import DataLoader, IterableDataset

from loops.material import cnn, mlp
from loops.planted import Watch
from loops.third.material import batches, perceptron, split_digits
from loops.third.real import Ended, RealBug, accuracy, moved, weights


def steps_of_the_validation(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits(images=True)
    model = cnn()
    optimizer = Adam(model.parameters(), lr=1e-3)
    held_out = batches(x_test, y_test, shuffle=False)
    watch(model, optimizer)
    for _ in range(6):
        model.train()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.eval()
        before = weights(model)
        with torch.set_grad_enabled(broken):
            for a, b in held_out:
                loss = F.cross_entropy(model(a), b)
                if broken:
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
    return Ended(1 - moved(model, before))


def gradients_of_the_validation(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = mlp(dropout=0.1)
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    held_out = batches(x_test, y_test, shuffle=False)
    watch(model, optimizer)
    for _ in range(8):
        found = [p.grad.norm() for p in model.parameters() if p.grad is not None]
        model.train()
        for a, b in batches(x, y):
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        with torch.set_grad_enabled(broken):
            for a, b in held_out:
                loss = F.cross_entropy(model(a), b)
                if broken:
                    loss.backward()
    return Ended(-float(sum(found)))


def validated_on_the_training_data(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=1e-3)
    seen = batches(x, y)
    held_out = batches(x if broken else x_test, y if broken else y_test, shuffle=False)
    watch(model, optimizer)
    for _ in range(8):
        model.train()
        for a, b in seen:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            for a, b in held_out:
                F.cross_entropy(model(a), b)
    known = {tuple(row) for row in x.tolist()}
    rows = [tuple(row) in known for a, _ in held_out for row in a.tolist()]
    return Ended(-sum(rows) / len(rows))


def batches_used_up(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.05)
    loader = batches(x, y)
    data = ((a - 0.1, b) for a, b in loader)
    watch(model, optimizer)
    for _ in range(12):
        model.train()
        for a, b in data if broken else ((a - 0.1, b) for a, b in loader):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            model(x_test - 0.1)
    return Ended(accuracy(model, x_test - 0.1, y_test))


def seeded_by_the_evaluation(watch: Watch, broken: bool) -> Ended:
    x, _, _, _ = split_digits()
    model = perceptron(64, 64, width=128)
    optimizer = Adam(model.parameters(), lr=1e-3)
    data = batches(x, x)
    own = torch.Generator().manual_seed(0)
    watch(model, optimizer)
    noises = []
    for _ in range(10):
        model.train()
        for k, (a, _) in enumerate(data):
            noise = torch.randn_like(a)
            if k == 0:
                noises.append(float(noise.sum()))
            optimizer.zero_grad()
            F.mse_loss(model(a + noise), noise).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():  # the same pictures in each epoch, to be looked at
            start = torch.randn(16, 64, generator=torch.manual_seed(0) if broken else own)
            model(start)
    return Ended(len(set(noises)) / len(noises))


class Stream(IterableDataset):
    """Rows in the order of their classes, shuffled in a buffer."""

    def __init__(self, x: Tensor, y: Tensor, buffer: int) -> None:
        order = y.argsort()
        self.x, self.y, self.buffer = x[order], y[order], buffer

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        held: list[tuple[Tensor, Tensor]] = []
        for row in zip(self.x, self.y, strict=True):
            held.append(row)
            if len(held) > self.buffer:
                yield held.pop(int(torch.randint(len(held), ())))
        for k in torch.randperm(len(held)).tolist():
            yield held[k]


def buffer_too_small(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=3e-3)
    stream = Stream(x, y, 48 if broken else 2000)
    watch(model, optimizer)
    for _ in range(6):
        for a, b in DataLoader(stream, batch_size=32, drop_last=True):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test, y_test))


HELD_OUT = (
    "validat|held-out|held out|test set|test data|evaluation data|evaluation batch|evaluation loop"
    "|the evaluation|an evaluation|each evaluation|during evaluation"
)

BUGS = (
    RealBug(
        "optimizer steps in the validation",
        "https://github.com/SKrisanski/FSCT/issues/12",
        "The loop of the training was copied for the validation together with backward and step, "
        "so the network also learns what it is measured on.",
        (HELD_OUT, "step|update|backward|trained on|learns|learned"),
        steps_of_the_validation,
        bad=0.1,
        good=1.0,
    ),
    RealBug(
        "gradients of the validation left for the training",
        "https://github.com/harvardnlp/annotated-transformer/issues/14",
        "The validation calls backward without a step, and the first step of the next epoch "
        "applies what has gathered.",
        (
            HELD_OUT,
            "backward|left over|leftover|left in|accumul|clear|zero_grad|carried|gather",
        ),
        gradients_of_the_validation,
        bad=-0.1,
        good=0.0,
    ),
    RealBug(
        "validation on the training data",
        "https://github.com/KrishnaDN/x-vector-pytorch/issues/8",
        "The loader of the validation was given the training set, so that overfitting cannot be "
        "seen.",
        (
            HELD_OUT,
            "training data|training set|training batch|training example|training sample"
            "|trained on|seen in training|already seen|also seen|same data|same batch|same example"
            "|same sample|same input|leak|overlap|identical|in both|contaminat",
        ),
        validated_on_the_training_data,
        bad=-0.99,
        good=-0.01,
    ),
    RealBug(
        "generator of batches used up after an epoch",
        "https://github.com/610265158/face_landmark/issues/34",
        "The batches come from a generator that can be run through once; the epochs after the "
        "first have none, and nobody is told.",
        (
            "no batch|no data|no step|without a step|without step|no training|used up|exhaust|empty"
            "|generator|iterator|no more|not step|stopped|stops|no optimizer step|never step"
            "|between evaluation|between validation|not trained",
        ),
        batches_used_up,
        bad=0.8,
        good=0.9,
    ),
    RealBug(
        "seed set by each evaluation",
        "https://github.com/huggingface/diffusers/issues/7991",
        "Drawing the same pictures in each evaluation sets the global seed, so the next epoch has "
        "the same order and the same noise as the one before.",
        (
            "seed|same order|same noise|repeat|identical|random state|rng|random number|same batch"
            "|same random|same shuffl|not shuffl",
        ),
        seeded_by_the_evaluation,
        bad=0.3,
        good=1.0,
    ),
    RealBug(
        "sorted stream with a small shuffle buffer",
        "https://github.com/IBM/graph2tac/pull/95",
        "The rows come sorted by class and a buffer of 48 mixes neighbours only, so the network "
        "forgets the first classes while it learns the last.",
        (
            "sort|shuffl|buffer|in order|one class|few class|same class|single class|class after"
            "|classes per batch|imbalanc|forg|label distribution|labels of a batch|label shift",
        ),
        buffer_too_small,
        bad=0.85,
        good=0.92,
    ),
)
