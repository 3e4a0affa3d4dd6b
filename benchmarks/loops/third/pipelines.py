"""What reaches the network, what the loss compares, and what the validation sees."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam
from torch.utils.data import DataLoader, Dataset, TensorDataset, WeightedRandomSampler

from loops.material import cnn, mlp
from loops.planted import Watch
from loops.third.material import batches, perceptron, split_digits, table
from loops.third.real import Ended, RealBug, accuracy, explained


def weights_of_classes(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits(images=True)
    model = cnn()
    optimizer = Adam(model.parameters(), lr=1e-3)
    per_class = 1 / y.bincount()
    sampler = WeightedRandomSampler(per_class if broken else per_class[y], len(y))
    data = DataLoader(TensorDataset(x, y), batch_size=64, sampler=sampler, drop_last=True)
    watch(model, optimizer)
    for _ in range(6):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test, y_test))


class Standardized(Dataset):
    """Rows minus their mean over their spread, computed in place or not."""

    def __init__(self, x: Tensor, y: Tensor, in_place: bool) -> None:
        self.x, self.y, self.in_place = x.clone(), y, in_place
        self.mean, self.spread = x.mean(), x.std()

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        row = self.x[i]
        if self.in_place:
            return row.sub_(self.mean).div_(self.spread), self.y[i]
        return (row - self.mean) / self.spread, self.y[i]


def standardized_in_place(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    grey, grey_test = 6 * x + 5, 6 * x_test + 5  # as the pixels are stored
    seen = Standardized(grey, y, in_place=broken)
    data = DataLoader(seen, batch_size=64, shuffle=True, drop_last=True)
    model = mlp()
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(12):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, (grey_test - seen.mean) / seen.spread, y_test))


def column_against_row(watch: Watch, broken: bool) -> Ended:
    x, y = table(1600)
    model = perceptron(8, 1)
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y.squeeze(1)):
            out = model(a)
            optimizer.zero_grad()
            F.mse_loss(out if broken else out.squeeze(1), b).backward()
            optimizer.step()
    return Ended(explained(model, *table(1000)))


class Dropped(nn.Module):
    """Dropout as a function, which has to be told the mode."""

    def __init__(self, told: bool) -> None:
        super().__init__()
        self.told = told
        self.first, self.second, self.last = (
            nn.Linear(64, 96),
            nn.Linear(96, 96),
            nn.Linear(96, 10),
        )

    def forward(self, x: Tensor) -> Tensor:
        on = self.training if self.told else True
        h = F.dropout(F.relu(self.first(x)), 0.6, training=on)
        return self.last(F.dropout(F.relu(self.second(h)), 0.6, training=on))


def dropout_without_the_mode(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = Dropped(told=not broken)
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(12):
        model.train()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            right = [model(a).argmax(1) == b for a, b in batches(x_test, y_test, shuffle=False)]
    return Ended(float(torch.cat(right).float().mean()))


def counts(n: int) -> tuple[Tensor, Tensor]:
    """Inputs, and the logarithm of the rate at which something is counted."""
    x = torch.randn(n, 8)
    rate = 0.8 * x[:, 0] + 0.8 * torch.sin(2 * x[:, 1]) + 0.5 * x[:, 2] * x[:, 3]
    return x, rate[:, None]


def clipped_by_an_empty_iterator(watch: Watch, broken: bool) -> Ended:
    x, rate = counts(3200)
    y = torch.poisson(rate.exp())
    model = perceptron(8, 1)
    parameters = model.parameters() if broken else list(model.parameters())
    optimizer = SGD(parameters, lr=0.05, momentum=0.9)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.poisson_nll_loss(model(a), b).backward()
            nn.utils.clip_grad_norm_(parameters, 0.5)
            optimizer.step()
    return Ended(explained(model, *counts(1000)))


BUGS = (
    RealBug(
        "sampler with a weight per class",
        "https://github.com/deep-voice/soundbay/pull/49",
        "The sampler takes one weight per sample and was given one per class, so it draws the "
        "first ten samples again and again.",
        (
            "same sample|same example|same input|same row|same batch|repeat|distinct|duplicat"
            "|seen again|few example|few sample|identical",
        ),
        weights_of_classes,
        bad=0.7,
        good=0.9,
    ),
    RealBug(
        "standardized in place",
        "https://github.com/pytorch/vision/issues/680",
        "Each access standardizes the stored row once more, so inputs shrink to a constant "
        "from epoch to epoch.",
        (
            "input|data|batch",
            "drift|shrink|shrunk|in place|in-place|distribution|shift|scale of the input"
            "|input scale|inputs change|inputs become|inputs have become|data change"
            "|spread of the input",
        ),
        standardized_in_place,
        bad=0.8,
        good=0.92,
    ),
    RealBug(
        "column of outputs against a row of targets",
        "https://github.com/pytorch/pytorch/pull/18349",
        "Shapes (64, 1) and (64,) are broadcast to all pairs, and the network learns the mean.",
        ("broadcast|shape|squeeze",),
        column_against_row,
        bad=0.2,
        good=0.85,
    ),
    RealBug(
        "functional dropout without the mode",
        "https://github.com/delip/PyTorchNLPBook/issues/28",
        "F.dropout is not told the mode of the network and stays active in the validation.",
        ("dropout|random|stochastic|determin", "eval|validation|held-out|held out|inference"),
        dropout_without_the_mode,
        bad=0.92,
        good=0.94,
    ),
    RealBug(
        "clipping of an iterator that is used up",
        "https://github.com/pytorch/pytorch/issues/148259",
        "The optimizer has gone through model.parameters(), and the clipping gets an empty "
        "iterator and does nothing.",
        (
            "clip",
            "never act|never clip|no effect|nothing|empty|exhaust|used up|not act|not clip"
            "|unclipped",
        ),
        clipped_by_an_empty_iterator,
        bad=0.0,
        good=0.75,
    ),
)
