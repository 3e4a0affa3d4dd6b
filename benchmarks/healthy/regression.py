"""Numbers: counts, quantiles, variances, angles, coordinates, ordinal and censored targets."""

import math

import torch
from real_bugs.bug import Arguments
from real_bugs.scores import explained
from real_bugs.tasks import house_prices, mlp
from torch import Tensor, nn
from torch.optim import SGD

from healthy.setup import Loss, SetUp, plan


def features(n: int = 1000) -> tuple[Tensor, Tensor]:
    """Six features and a smooth function of them, of mean 0 and variance about 1."""
    x = torch.randn(n, 6)
    return x, 0.7 * x[:, 0] - 0.5 * x[:, 1] * x[:, 2] + 0.5 * (2 * x[:, 3]).sin()


def counts() -> Arguments:
    x, f = features()
    return plan(mlp(6, 1), (x, torch.poisson(f.exp())[:, None]), nn.PoissonNLLLoss(), train=800)


def rate_correlates(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return float(torch.corrcoef(torch.stack([model(x)[:, 0].exp(), y[:, 0]]))[0, 1])


LEVELS = torch.tensor([0.1, 0.5, 0.9])


def pinball(out: Tensor, y: Tensor) -> Tensor:
    gap = y - out
    return torch.maximum(LEVELS * gap, (LEVELS - 1) * gap).mean()


def quantiles() -> Arguments:
    x, f = features()
    y = (f + 0.3 * torch.randn(len(f)))[:, None]
    return plan(mlp(6, 3), (x, y), Loss(pinball), train=800, steps=500)


def covers(model: nn.Module, x: Tensor, y: Tensor) -> float:
    low, _, high = model(x).unbind(1)
    inside = (y[:, 0] > low) & (y[:, 0] < high)
    return float(inside.float().mean())


def own_variance() -> Arguments:
    """The network gives a mean and a log-variance."""
    x, f = features()
    y = (f + (0.5 * x[:, 4]).exp() * 0.3 * torch.randn(len(f)))[:, None]

    def loss(out: Tensor, y: Tensor) -> Tensor:
        mean, log_variance = out.chunk(2, 1)
        return 0.5 * (log_variance + (y - mean).square() * (-log_variance).exp()).mean()

    return plan(mlp(6, 2), (x, y), Loss(loss), train=800, steps=500)


def mean_explains(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return float(1 - (model(x)[:, :1] - y).square().mean() / y.var())


def angles() -> Arguments:
    """A direction as sine and cosine."""
    x = torch.randn(1000, 2)
    turn = torch.atan2(x[:, 0], x[:, 1]) + 0.1 * torch.randn(1000)
    return plan(mlp(2, 2), (x, torch.stack([turn.sin(), turn.cos()], 1)), nn.MSELoss(), train=800)


class Sine(nn.Module):
    """A SIREN layer, drawn as its authors say."""

    def __init__(self, inputs: int, outputs: int, first: bool) -> None:
        super().__init__()
        self.linear, self.omega = nn.Linear(inputs, outputs), 10.0 if first else 1.0
        bound = 1 / inputs if first else math.sqrt(6 / inputs)
        nn.init.uniform_(self.linear.weight, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        return (self.omega * self.linear(x)).sin()


def grid(n: int = 32) -> tuple[Tensor, Tensor]:
    axis = torch.linspace(-1, 1, n)
    x = torch.cartesian_prod(axis, axis)
    return x, ((3 * x[:, :1]).sin() * (4 * x[:, 1:]).cos())


def siren() -> Arguments:
    model = nn.Sequential(Sine(2, 48, True), Sine(48, 48, False), nn.Linear(48, 1))
    return plan(model, grid(), nn.MSELoss(), lr=1e-3, steps=500, batch_size=64)


class Fourier(nn.Module):
    """Random Fourier features of the coordinates, which stay as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("frequencies", 2 * torch.randn(2, 32))
        self.net = mlp(64, 1)

    def forward(self, x: Tensor) -> Tensor:
        z = x @ self.frequencies
        return self.net(torch.cat([z.sin(), z.cos()], 1))


def fourier_features() -> Arguments:
    return plan(Fourier(), grid(), nn.MSELoss(), steps=400, batch_size=64)


def with_outliers() -> Arguments:
    x, f = features()
    y = f + 0.1 * torch.randn(len(f)) + 8 * (torch.rand(len(f)) < 0.03) * torch.randn(len(f)).sign()
    y[800:] = f[800:]
    return plan(mlp(6, 1), (x, y[:, None]), nn.HuberLoss(delta=0.5), train=800, steps=400)


def noisy() -> Arguments:
    """Most of the variance is noise that no network can explain."""
    x, f = features(1500)
    y = (f + 1.2 * torch.randn(len(f)))[:, None]
    return plan(mlp(6, 1, width=16, depth=1), (x, y), nn.MSELoss(), lr=1e-3, train=1200, steps=400)


def few_samples() -> Arguments:
    x = torch.randn(100, 4)
    y = (x[:, :2].sum(1) + 0.3 * x[:, 2].square())[:, None]
    model = mlp(4, 1, width=16, depth=1)
    adamw = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.1)
    return plan(model, (x, y), nn.MSELoss(), train=70, batch_size=16, optimizer=adamw)


def linear() -> Arguments:
    x = torch.randn(600, 10)
    y = x @ torch.randn(10, 1) + 0.1 * torch.randn(600, 1)
    model = nn.Linear(10, 1)
    sgd = SGD(model.parameters(), lr=0.05, weight_decay=1e-3)
    return plan(model, (x, y), nn.MSELoss(), train=500, optimizer=sgd)


def summed() -> Arguments:
    """The loss is a sum over samples, and the learning rate suits it."""
    x, f = features()
    model = mlp(6, 1)
    loss = nn.MSELoss(reduction="sum")
    sgd = SGD(model.parameters(), lr=0.05 / 32, momentum=0.9)
    return plan(model, (x, f[:, None]), loss, train=800, steps=500, optimizer=sgd)


def prices() -> Arguments:
    """Prices that were standardised."""
    x, y = house_prices(1000)
    return plan(mlp(6, 1), (x, (y - y.mean()) / y.std()), nn.L1Loss(), train=800, steps=500)


def three_tasks() -> Arguments:
    """Three targets, whose losses are added."""
    x, f = features()
    y = torch.stack([f, x[:, 1] * x[:, 4], (x[:, 5] + x[:, 0]).tanh()], 1)
    loss = Loss(lambda out, y: (out - y).square().mean(0).sum())
    return plan(mlp(6, 3, width=64), (x, y), loss, train=800, steps=500)


def ordinal() -> Arguments:
    """Five ordered grades as four questions: is it above this one?"""
    x, f = features()
    grade = torch.bucketize(f, torch.tensor([-1.0, -0.3, 0.3, 1.0]))
    above = (grade[:, None] > torch.arange(4)).float()
    return plan(mlp(6, 4), (x, above), nn.BCEWithLogitsLoss(), train=800, steps=400)


def grades_near(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return float(((model(x) > 0).sum(1) - y.sum(1)).abs().le(1).float().mean())


def survival() -> Arguments:
    """Cox's partial likelihood of times, some of them censored."""
    x, f = features()
    time = torch.empty(len(f)).exponential_() * (-1.5 * f).exp()
    seen = (torch.rand(len(f)) < 0.7).float()

    def loss(out: Tensor, y: Tensor) -> Tensor:
        order = y[:, 0].argsort(descending=True)
        risk, event = out[order, 0], y[order, 1]
        return -((risk - risk.logcumsumexp(0)) * event).sum() / event.sum().clamp(min=1)

    data = x, torch.stack([time, seen], 1)
    return plan(mlp(6, 1, depth=1), data, Loss(loss), train=800, steps=300, batch_size=64)


def concordant(model: nn.Module, x: Tensor, y: Tensor) -> float:
    risk, time = model(x)[:, 0], y[:, 0]
    sooner = time[:, None] < time
    return float((risk[:, None] > risk)[sooner].float().mean())


def log_targets() -> Arguments:
    """Amounts over four orders of magnitude, learned as logarithms."""
    x, f = features()
    amount = (2 * f).exp()
    return plan(mlp(6, 1), (x, amount.log1p()[:, None]), nn.MSELoss(), train=800, steps=400)


def heat() -> Arguments:
    """A sigmoid at the end, for targets between 0 and 1."""
    x, f = features()
    model = nn.Sequential(*mlp(6, 1), nn.Sigmoid())
    return plan(model, (x, f.sigmoid()[:, None]), nn.MSELoss(), train=800, steps=400)


SETUPS = (
    SetUp("counts, Poisson", counts, rate_correlates, 0.5),
    SetUp("quantiles", quantiles, covers, 0.6),
    SetUp("mean and variance", own_variance, mean_explains, 0.6),
    SetUp("angle as sine and cosine", angles, explained, 0.85),
    SetUp("SIREN", siren, explained, 0.9),
    SetUp("Fourier features", fourier_features, explained, 0.9),
    SetUp("Huber loss with outliers", with_outliers, explained, 0.75),
    SetUp("mostly noise", noisy, explained, 0.15),
    SetUp("seventy samples", few_samples, explained, 0.7),
    SetUp("linear regression", linear, explained, 0.9),
    SetUp("loss is a sum", summed, explained, 0.75),
    SetUp("prices, L1", prices, explained, 0.6),
    SetUp("three tasks added", three_tasks, explained, 0.7),
    SetUp("ordinal grades", ordinal, grades_near, 0.85),
    SetUp("survival (Cox)", survival, concordant, 0.7),
    SetUp("logarithms of amounts", log_targets, explained, 0.7),
    SetUp("sigmoid for shares", heat, explained, 0.7),
)
