"""The order of calls: clearing, backward passes, steps, clipping, graphs."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from loops.material import EPOCHS, cnn, digits, loader, mlp
from loops.planted import Bug, Watch


def zero_grad_missing(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    for _ in range(EPOCHS):
        for x, y in loader(*digits()):
            if not broken:
                optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def zero_grad_misplaced(watch: Watch, broken: bool) -> None:
    model = cnn()
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    for x, y in loader(*digits(images=True)):
        if not broken:
            optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        if broken:
            optimizer.zero_grad()
        optimizer.step()


def backward_now_and_then(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    for step, (x, y) in enumerate(loader(*digits(), size=16)):
        loss = F.cross_entropy(model(x), y)
        if not broken or step % 10 == 0:
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()


def loss_detached(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    for x, y in loader(*digits()):
        loss = F.cross_entropy(model(x), y)
        if broken:
            loss = torch.tensor(loss.item(), requires_grad=True)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def graph_kept(watch: Watch, broken: bool) -> None:
    model = cnn()
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    total = 0.0
    for _ in range(3):
        for x, y in loader(*digits(images=True)):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss if broken else loss.item()


class Cut(nn.Module):
    """A network that loses the graph between its halves."""

    def __init__(self, broken: bool) -> None:
        super().__init__()
        self.broken = broken
        self.encoder = nn.Sequential(nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        h = self.encoder(x)
        return self.head(h.detach() if self.broken else h)


def graph_cut(watch: Watch, broken: bool) -> None:
    model = Cut(broken)
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    for _ in range(2):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def clipped_always(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1)
    watch(model, optimizer)
    for _ in range(5):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1e-3 if broken else 5.0)
            optimizer.step()


BUGS = (
    Bug("zero_grad missing", ("loop/zero_grad_missing",), zero_grad_missing),
    Bug("zero_grad before step", ("loop/zero_grad_before_step",), zero_grad_misplaced),
    Bug("backward in every tenth step", ("loop/step_without_backward",), backward_now_and_then),
    Bug("loss detached", ("loop/loss_detached",), loss_detached),
    Bug("losses summed with graphs", ("loop/graph_kept",), graph_kept),
    Bug("graph cut by detach", ("loop/graph_cut",), graph_cut),
    Bug("clipped at every step", ("clip/always",), clipped_always),
)
