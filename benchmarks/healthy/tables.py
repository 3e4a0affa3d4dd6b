"""Tables with categories, graphs, experts, policies, and networks that were trained before."""

import torch
from real_bugs.bug import Arguments, train
from real_bugs.scores import accuracy, explained, sign_accuracy
from real_bugs.tasks import digits, mlp
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import AdamW

from healthy.regression import features
from healthy.setup import Loss, SetUp, plan


class Embedded(nn.Module):
    """Two categories as vectors beside four numbers; the categories are the last columns."""

    def __init__(self) -> None:
        super().__init__()
        self.city, self.month = nn.Embedding(20, 6), nn.Embedding(12, 4)
        self.net = nn.Sequential(nn.BatchNorm1d(14), *mlp(14, 1))

    def forward(self, x: Tensor) -> Tensor:
        ids = x[:, 4:].long()
        return self.net(torch.cat([x[:, :4], self.city(ids[:, 0]), self.month(ids[:, 1])], 1))


def categories() -> Arguments:
    numbers, city, month = (
        torch.randn(1500, 4),
        torch.randint(20, (1500,)),
        torch.randint(12, (1500,)),
    )
    worth, season = torch.randn(20), (torch.arange(12) / 12 * 6.28).sin()
    y = numbers[:, 0] + worth[city] + season[month] * numbers[:, 1] + 0.2 * torch.randn(1500)
    x = torch.cat([numbers, city[:, None], month[:, None]], 1)
    return plan(Embedded(), (x, (y[:, None] - y.mean()) / y.std()), nn.MSELoss(), train=1200)


class Machine(nn.Module):
    """A factorisation machine over one-hot fields."""

    def __init__(self, codes: int = 30, d: int = 4) -> None:
        super().__init__()
        self.weight, self.vectors = nn.Embedding(codes, 1), nn.Embedding(codes, d)
        nn.init.normal_(self.vectors.weight, std=0.3)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, ids: Tensor) -> Tensor:
        v = self.vectors(ids)
        pairs = 0.5 * (v.sum(1).square() - v.square().sum(1)).sum(1)
        return self.bias + self.weight(ids).sum(1)[:, 0] + pairs


def clicks() -> Arguments:
    ids = torch.stack([torch.randint(10, (2500,)) + 10 * f for f in range(3)], 1)
    logit = 2.0 * (((ids[:, 0] + ids[:, 1]) % 2) * 2 - 1) + 0.5 * torch.randn(2500)
    y = (logit > 0).float()
    return plan(Machine(), (ids, y), nn.BCEWithLogitsLoss(), lr=0.03, steps=500, train=2000)


def rare_positives() -> Arguments:
    x, f = features(2000)
    y = (f > 1.4).float()[:, None]
    loss = nn.BCEWithLogitsLoss(pos_weight=(1 - y).sum() / y.sum())
    return plan(mlp(6, 1), (x, y), loss, train=1600, steps=400, batch_size=64)


def both_found(model: nn.Module, x: Tensor, y: Tensor) -> float:
    answer, asked = model(x) > 0, y > 0.5
    return float(0.5 * (answer[asked].float().mean() + (~answer[~asked]).float().mean()))


class Experts(nn.Module):
    """Four experts, mixed by a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(6, 4)
        self.experts = nn.ModuleList(mlp(6, 1, width=16, depth=1) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        answers = torch.stack([expert(x) for expert in self.experts], 1)
        return (self.gate(x).softmax(1)[..., None] * answers).sum(1)


def experts() -> Arguments:
    x, f = features(1200)
    return plan(Experts(), (x, f[:, None]), nn.MSELoss(), lr=0.01, train=1000, steps=500)


class DeepSet(nn.Module):
    """A function of the sum over the members of a set."""

    def __init__(self) -> None:
        super().__init__()
        self.member, self.whole = mlp(3, 16, depth=1), mlp(16, 1, depth=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.whole(self.member(x).mean(1))


def sets() -> Arguments:
    x = torch.randn(1000, 8, 3)
    y = (x[..., 0] * x[..., 1]).mean(1, keepdim=True)
    return plan(DeepSet(), (x, y / y.std()), nn.MSELoss(), lr=5e-3, train=800, steps=600)


class GraphNet(nn.Module):
    """Two graph convolutions; the adjacency with loops stands behind the features of the nodes."""

    def __init__(self, inputs: int, outputs: int, pooled: bool) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, 24), nn.Linear(24, outputs)
        self.inputs, self.pooled = inputs, pooled

    def forward(self, x: Tensor) -> Tensor:
        h, links = x[..., : self.inputs], x[..., self.inputs :]
        links = links / links.sum(-1, keepdim=True)
        h = links @ self.second(F.relu(links @ self.first(h)))
        return h.mean(1) if self.pooled else h


def graphs(n: int = 600, nodes: int = 10) -> tuple[Tensor, Tensor]:
    """Two groups of nodes with more links within; noisy features of the group."""
    group = torch.randint(2, (n, nodes))
    same = group[:, :, None] == group[:, None]
    upper = (torch.rand(n, nodes, nodes) < torch.where(same, 0.7, 0.05)).triu(1)
    links = (upper | upper.mT).float() + torch.eye(nodes)
    x = torch.randn(n, nodes, 4) + group[..., None]
    return torch.cat([x, links], 2), group


def node_classes() -> Arguments:
    loss = Loss(lambda out, y: F.cross_entropy(out.flatten(0, 1), y.flatten()))
    return plan(GraphNet(4, 2, False), graphs(), loss, lr=0.01, train=450, steps=300)


def nodes_right(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return float((model(x).argmax(-1) == y).float().mean())


def graph_numbers() -> Arguments:
    x, group = graphs()
    y = group.float().mean(1, keepdim=True)
    return plan(GraphNet(4, 1, True), (x, y), nn.MSELoss(), lr=0.01, train=450, steps=400)


def states(n: int = 1500) -> Tensor:
    return torch.randn(n, 4)


def policy_gradient() -> Arguments:
    """The surrogate of REINFORCE: the log-probability of an action times its advantage."""
    x, action = states(), torch.randint(3, (1500,))
    best = torch.stack([x[:, 0], x[:, 1], -x[:, 0] - x[:, 1]], 1).argmax(1)
    advantage = (action == best).float() - 1 / 3

    def loss(out: Tensor, y: Tensor) -> Tensor:
        log = out.log_softmax(1).gather(1, y[:, :1].long())[:, 0]
        return -(log * y[:, 1]).mean()

    data = x, torch.stack([action.float(), advantage], 1)
    return plan(mlp(4, 3), data, Loss(loss), lr=3e-3, train=1200, steps=400, batch_size=64)


def acts_well(model: nn.Module, x: Tensor, _: Tensor) -> float:
    best = torch.stack([x[:, 0], x[:, 1], -x[:, 0] - x[:, 1]], 1).argmax(1)
    return float((model(x).argmax(1) == best).float().mean())


def values_of_actions() -> Arguments:
    """Temporal differences with a target network: only the action that was taken counts."""
    x, action = states(), torch.randint(3, (1500,))
    reward = torch.stack([x[:, 0], x[:, 1], -x[:, 0] - x[:, 1]], 1)
    value = reward.gather(1, action[:, None])[:, 0]

    def loss(out: Tensor, y: Tensor) -> Tensor:
        return F.smooth_l1_loss(out.gather(1, y[:, :1].long())[:, 0], y[:, 1])

    data = x, torch.stack([action.float(), value], 1)
    return plan(mlp(4, 3), data, Loss(loss), train=1200, steps=500, batch_size=64)


def backbone(classes: slice) -> nn.Sequential:
    """A network that knows some of the digits."""
    x, y = digits(n=1430)
    kept = (y >= classes.start) & (y < classes.stop)
    model = mlp(64, classes.stop - classes.start, width=48)
    train(plan(model, (x[kept], y[kept] - classes.start), nn.CrossEntropyLoss(), steps=400))
    return model


def frozen_backbone() -> Arguments:
    """Trained on the digits below 6, frozen, with a new head for the others."""
    body = backbone(slice(0, 6))[:-1].requires_grad_(False)
    x, y = digits(n=1430)
    kept = y >= 6
    model = nn.Sequential(body, nn.Linear(48, 4))
    data = x[kept], y[kept] - 6
    return plan(model, data, nn.CrossEntropyLoss(), lr=0.01, train=430)


def fine_tuned() -> Arguments:
    """The same body, trained on with a small learning rate, the head with a larger one."""
    body = backbone(slice(0, 6))[:-1]
    x, y = digits(n=1430)
    kept = y >= 6
    model = nn.Sequential(body, nn.Linear(48, 4))
    groups = [{"params": body.parameters(), "lr": 3e-4}, {"params": model[1].parameters()}]
    data = x[kept], y[kept] - 6
    return plan(model, data, nn.CrossEntropyLoss(), train=430, optimizer=AdamW(groups, lr=3e-3))


class LowRank(nn.Module):
    """A frozen layer with a trainable change of rank 2, which starts at zero."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(2, layer.in_features) / layer.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(layer.out_features, 2))

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + x @ self.a.T @ self.b.T


def adapters() -> Arguments:
    """A network that knows all digits learns them upside down by changes of low rank."""
    model = backbone(slice(0, 10))
    layers = [LowRank(m) if isinstance(m, nn.Linear) else m for m in model]
    x, y = digits(n=1430)
    data = x.reshape(-1, 8, 8).flip(1).flatten(1), y
    return plan(nn.Sequential(*layers), data, nn.CrossEntropyLoss(), lr=0.01, train=1200, steps=600)


def trained_before() -> Arguments:
    """Examined after its training."""
    arguments = plan(mlp(64, 10), digits(n=1430), nn.CrossEntropyLoss(), train=1200, steps=400)
    train(arguments)
    return arguments


SETUPS = (
    SetUp("table with categories", categories, explained, 0.7),
    SetUp("factorisation machine", clicks, sign_accuracy, 0.85),
    SetUp("rare positives, weighted", rare_positives, both_found, 0.8),
    SetUp("mixture of experts", experts, explained, 0.7),
    SetUp("deep sets", sets, explained, 0.5),
    SetUp("classes of nodes", node_classes, nodes_right, 0.9),
    SetUp("one number of a graph", graph_numbers, explained, 0.5),
    SetUp("policy gradient", policy_gradient, acts_well, 0.7),
    SetUp("values of actions", values_of_actions, acts_well, 0.9),
    SetUp("frozen backbone", frozen_backbone, accuracy, 0.8),
    SetUp("fine-tuning", fine_tuned, accuracy, 0.9),
    SetUp("low-rank adapters", adapters, accuracy, 0.6),
    SetUp("trained before", trained_before, accuracy, 0.9),
)
