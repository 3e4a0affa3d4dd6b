"""Losses of pairs, triplets and ranks."""

import torch
from real_bugs.bug import Arguments
from real_bugs.tasks import digits, mlp
from real_bugs.third.losses import Contrast, Distance, TwoViews, alike_apart, pairs
from torch import Tensor, nn
from torch.nn import functional as F

from healthy.setup import Loss, SetUp, plan

TRAIN = 1600


def digit_pairs(n: int = 2000) -> tuple[Tensor, Tensor]:
    return pairs(*digits(n=1400), n)


def contrastive() -> Arguments:
    loss = Contrast(one_is_alike=True)
    return plan(Distance(), digit_pairs(), loss, lr=2e-3, steps=500, batch_size=64, train=TRAIN)


class Embedded(nn.Module):
    """Every picture of a sample as a vector."""

    def __init__(self, unit: bool = False) -> None:
        super().__init__()
        self.embed, self.unit = mlp(64, 8, width=64), unit

    def forward(self, x: Tensor) -> Tensor:
        z = self.embed(x)
        return F.normalize(z, dim=-1) if self.unit else z


def cosine_pairs() -> Arguments:
    x, same = digit_pairs()
    loss = Loss(lambda z, y: F.cosine_embedding_loss(z[:, 0], z[:, 1], y, margin=0.2))
    return plan(Embedded(), (x, 2 * same - 1), loss, lr=2e-3, steps=500, batch_size=64, train=TRAIN)


def cosines_apart(model: nn.Module, x: Tensor, y: Tensor) -> float:
    a, b = model(x).unbind(1)
    return float(((F.cosine_similarity(a, b) > 0.6) == (y > 0)).float().mean())


def triplets(n: int = 1200) -> tuple[Tensor, Tensor]:
    """A picture, another of the same digit, and one of another digit."""
    x, y = digits(n=1400)
    first = torch.randint(len(y), (n,))
    near = (y[first][:, None] == y).float().multinomial(1)[:, 0]
    far = (y[first][:, None] != y).float().multinomial(1)[:, 0]
    return torch.stack([x[first], x[near], x[far]], 1), y[first]


def triplet_margin() -> Arguments:
    loss = Loss(lambda z, _: F.triplet_margin_loss(z[:, 0], z[:, 1], z[:, 2]))
    return plan(Embedded(), triplets(), loss, lr=2e-3, steps=400, batch_size=64, train=1000)


def nearer(model: nn.Module, x: Tensor, _: Tensor) -> float:
    a, near, far = model(x).unbind(1)
    return float(((a - near).norm(dim=1) < (a - far).norm(dim=1)).float().mean())


def views(n: int = 1400) -> tuple[Tensor, Tensor]:
    x, y = digits(n=n)
    return torch.stack([F.dropout(x, 0.1), F.dropout(1 - x, 0.1)], 1), y


def info_nce() -> Arguments:
    def loss(z: Tensor, _: Tensor) -> Tensor:
        return F.cross_entropy(z[:, 0] @ z[:, 1].T / 0.1, torch.arange(len(z)))

    return plan(TwoViews(), views(), Loss(loss), steps=400, batch_size=128, train=1200)


def matched(model: nn.Module, x: Tensor, _: Tensor) -> float:
    z = model(x[:100])
    return float(((z[:, 0] @ z[:, 1].T).argmax(1) == torch.arange(len(z))).float().mean())


def barlow() -> Arguments:
    """The correlations of the two views are to be the identity."""

    def loss(z: Tensor, _: Tensor) -> Tensor:
        a, b = ((v - v.mean(0)) / (v.std(0) + 1e-4) for v in z.unbind(1))
        c = a.T @ b / len(a)
        diagonal = (1 - c.diagonal()).square().sum()
        return diagonal + 0.02 * (c.square().sum() - c.diagonal().square().sum())

    return plan(Embedded(), views(), Loss(loss), lr=2e-3, steps=400, batch_size=128, train=1200)


def same_class_near() -> Arguments:
    """Supervised contrastive: pictures of the same digit in the batch attract each other."""

    def loss(z: Tensor, y: Tensor) -> Tensor:
        others = ~torch.eye(len(y), dtype=torch.bool)
        log = (z @ z.T / 0.2).masked_fill(~others, -1e9).log_softmax(1)
        alike = (y[:, None] == y) & others
        return -(log * alike).sum() / alike.sum()

    model = Embedded(unit=True)
    return plan(model, digits(n=1400), Loss(loss), lr=2e-3, steps=300, batch_size=64, train=1200)


def neighbour_right(model: nn.Module, x: Tensor, y: Tensor) -> float:
    z = model(x)
    near = torch.cdist(z, z).fill_diagonal_(torch.inf).argmin(1)
    return float((y[near] == y).float().mean())


class Scorer(nn.Module):
    """One score of each of two items."""

    def __init__(self) -> None:
        super().__init__()
        self.score = mlp(6, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.score(x)[..., 0]


def preferences(n: int = 1200) -> tuple[Tensor, Tensor]:
    """Which of two items is better: 1 for the first, -1 for the second."""
    x = torch.randn(n, 2, 6)
    worth = x[..., 0] + (x[..., 1] * x[..., 2]) - x[..., 3].square()
    return x, (worth[:, 0] - worth[:, 1]).sign()


def margin_ranking() -> Arguments:
    loss = Loss(lambda s, y: F.margin_ranking_loss(s[:, 0], s[:, 1], y, margin=0.5))
    return plan(Scorer(), preferences(), loss, steps=400, train=1000)


def rank_net() -> Arguments:
    loss = Loss(lambda s, y: F.softplus(-y * (s[:, 0] - s[:, 1])).mean())
    return plan(Scorer(), preferences(), loss, steps=400, train=1000)


def ordered(model: nn.Module, x: Tensor, y: Tensor) -> float:
    s = model(x)
    return float(((s[:, 0] - s[:, 1]).sign() == y).float().mean())


class Tastes(nn.Module):
    """The inner products of a user with an item that was chosen and one that was not."""

    def __init__(self, users: int = 60, items: int = 80, d: int = 8) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(users, d), nn.Embedding(items, d)

    def forward(self, ids: Tensor) -> Tensor:
        user, chosen, other = ids.unbind(1)
        u = self.users(user)
        return (u * (self.items(chosen) - self.items(other))).sum(1)


def recommender() -> Arguments:
    """Bayesian personalised ranking: users like items of their own kind."""
    n = 3000
    user, group = torch.randint(60, (n,)), torch.randint(20, (2, n))
    kind = user % 4
    chosen = group[0] * 4 + kind
    other = group[1] * 4 + (kind + torch.randint(1, 4, (n,))) % 4
    data = torch.stack([user, chosen, other], 1), torch.ones(n)
    loss = Loss(lambda margin, _: -F.logsigmoid(margin).mean())
    return plan(Tastes(), data, loss, lr=0.02, steps=400, batch_size=64, train=2500)


def preferred(model: nn.Module, x: Tensor, _: Tensor) -> float:
    return float((model(x) > 0).float().mean())


SETUPS = (
    SetUp("contrastive pairs", contrastive, alike_apart, 0.85),
    SetUp("cosine embedding pairs", cosine_pairs, cosines_apart, 0.85),
    SetUp("triplets", triplet_margin, nearer, 0.93),
    SetUp("InfoNCE of two views", info_nce, matched, 0.6),
    SetUp("Barlow twins", barlow, matched, 0.08),
    SetUp("supervised contrastive", same_class_near, neighbour_right, 0.9),
    SetUp("margin ranking", margin_ranking, ordered, 0.85),
    SetUp("RankNet", rank_net, ordered, 0.85),
    SetUp("recommender (BPR)", recommender, preferred, 0.85),
)
