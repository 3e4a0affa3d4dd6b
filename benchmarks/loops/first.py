"""The first half of the loops, written together with the detectors."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR

from loops.material import Gpt, cnn, digits, loader, mlp, next_token_loss, text
from loops.planted import Bug, Watch

EPOCHS = 8


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


def head_replaced(watch: Watch, broken: bool) -> None:
    model = cnn()
    if not broken:
        model[-1] = nn.Linear(32 * 16, 10)
    optimizer = SGD(model.parameters(), lr=0.05)
    if broken:
        model[-1] = nn.Linear(32 * 16, 10)
    watch(model, optimizer)
    for _ in range(3):
        for x, y in loader(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def head_forgotten(watch: Watch, broken: bool) -> None:
    model = Gpt()
    parts = [model.token, model.place, model.blocks] + ([] if broken else [model.head])
    optimizer = AdamW([p for part in parts for p in part.parameters()], lr=1e-3)
    watch(model, optimizer)
    ids = text()
    for _ in range(60):
        batch = ids[torch.randint(0, len(ids), (16,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        optimizer.step()


def two_optimizers(watch: Watch, broken: bool) -> None:
    model = mlp()
    body = Adam(model[:4].parameters())
    head = Adam(model.parameters() if broken else model[4:].parameters())
    watch(model, [body, head])
    for _ in range(2):
        for x, y in loader(*digits()):
            body.zero_grad()
            head.zero_grad()
            F.cross_entropy(model(x), y).backward()
            body.step()
            head.step()


def eval_left_on(watch: Watch, broken: bool) -> None:
    model = cnn()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    x_test, y_test = digits(images=True)
    for _ in range(4):
        if not broken:
            model.train()
        for x, y in loader(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            (model(x_test).argmax(1) == y_test).float().mean()


def never_in_training_mode(watch: Watch, broken: bool) -> None:
    model = mlp(dropout=0.3).eval()
    optimizer = Adam(model.parameters())
    if not broken:
        model.train()
    watch(model, optimizer)
    for _ in range(3):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def evaluated_in_training_mode(watch: Watch, broken: bool) -> None:
    model = cnn()
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    held_out = loader(*digits(images=True), shuffle=False)
    for _ in range(3):
        for x, y in loader(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        if not broken:
            model.eval()
        with torch.no_grad():
            for x, _ in held_out:
                model(x)
        model.train()


def scheduler_never(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, step_size=3)
    batches = loader(*digits())
    watch(model, optimizer)
    for _ in range(EPOCHS):
        for x, y in batches:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        if not broken:
            scheduler.step()


def scheduler_per_batch(watch: Watch, broken: bool) -> None:
    model = cnn()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = StepLR(optimizer, step_size=4, gamma=0.1)  # meant: every 4 epochs
    watch(model, optimizer)
    for _ in range(6):
        for x, y in loader(*digits(images=True)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            if broken:
                scheduler.step()
        if not broken:
            scheduler.step()


def cosine_per_batch(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = AdamW(model.parameters(), lr=1e-3)
    scheduler = CosineAnnealingLR(optimizer, T_max=EPOCHS)
    watch(model, optimizer)
    for _ in range(EPOCHS):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            if broken:
                scheduler.step()
        if not broken:
            scheduler.step()


def rate_too_large(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=20.0 if broken else 0.2)
    watch(model, optimizer)
    for _ in range(3):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def rate_too_large_for_adam(watch: Watch, broken: bool) -> None:
    model = Gpt()
    optimizer = AdamW(model.parameters(), lr=0.5 if broken else 1e-3)
    watch(model, optimizer)
    ids = text()
    for _ in range(120):
        batch = ids[torch.randint(0, len(ids), (16,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        optimizer.step()


def rate_too_small(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=1e-6 if broken else 0.1)
    watch(model, optimizer)
    for _ in range(12):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def first_batch_only(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = Adam(model.parameters())
    batches = loader(*digits(), shuffle=not broken)
    watch(model, optimizer)
    stream = iter(batches)
    for _ in range(100):
        if broken:
            x, y = next(iter(batches))
        else:
            try:
                x, y = next(stream)
            except StopIteration:
                stream = iter(batches)
                x, y = next(stream)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


def sorted_labels(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = Adam(model.parameters())
    x, y = digits()
    order = y.argsort()
    batches = loader(x[order], y[order], size=32, shuffle=not broken)
    watch(model, optimizer)
    for _ in range(3):
        for a, b in batches:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def labels_of_other_inputs(watch: Watch, broken: bool) -> None:
    model = mlp(width=32)
    optimizer = SGD(model.parameters(), lr=0.05)
    x, y = digits()
    watch(model, optimizer)
    for _ in range(16):
        order, other = torch.randperm(len(x)), torch.randperm(len(x))
        for i in range(0, len(x) - 64, 64):
            a, b = x[order[i : i + 64]], y[(other if broken else order)[i : i + 64]]
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def uneven_accumulation(watch: Watch, broken: bool) -> None:
    model = Gpt()
    optimizer = AdamW(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    ids = text()
    for _ in range(40):
        pieces = []
        for _ in range(4):
            batch = ids[torch.randint(0, len(ids), (8,))].clone()
            batch[:, int(torch.randint(4, 24, ())) :] = -100
            pieces.append(batch)
        counted = sum(int((piece[:, 1:] >= 0).sum()) for piece in pieces)
        optimizer.zero_grad()
        for piece in pieces:
            logits = model(piece.clamp(min=0))
            if broken:
                (next_token_loss(logits, piece) / 4).backward()
            else:
                (next_token_loss(logits, piece, reduction="sum") / counted).backward()
        optimizer.step()


def summed_accumulation(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.02)
    watch(model, optimizer)
    for step, (x, y) in enumerate(loader(*digits(), size=16)):
        loss = F.cross_entropy(model(x), y)
        (loss if broken else loss / 4).backward()
        if step % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


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


class Standardized(nn.Module):
    """Divides each example by its spread, without an epsilon."""

    def __init__(self, eps: float) -> None:
        super().__init__()
        self.eps, self.inner = eps, mlp()

    def forward(self, x: Tensor) -> Tensor:
        return self.inner((x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + self.eps))


def constant_example(watch: Watch, broken: bool) -> None:
    model = Standardized(0.0 if broken else 1e-5)
    optimizer = Adam(model.parameters())
    x, y = digits()
    x[1000] = 0.5
    watch(model, optimizer)
    for _ in range(2):
        for a, b in loader(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()


def norm_at_zero(watch: Watch, broken: bool) -> None:
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 16))
    optimizer = SGD(model.parameters(), lr=0.01)
    x, _ = digits()
    watch(model, optimizer)
    for step in range(60):
        a = x[torch.randint(0, len(x), (32,))]
        b = a if step == 40 else a + 0.1 * torch.randn_like(a)
        gap = (model(a) - model(b)).square().sum(1)
        loss = (gap if not broken else gap.sqrt()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def dead_units(watch: Watch, broken: bool) -> None:
    model = mlp()
    if broken:
        nn.init.constant_(model[0].bias, -4.0)
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    for _ in range(4):
        for x, y in loader(*digits()):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def vanishing(watch: Watch, broken: bool) -> None:
    squash = nn.Sigmoid if broken else nn.ReLU
    layers: list[nn.Module] = [nn.Linear(64, 32), squash()]
    for _ in range(10):
        layers += [nn.Linear(32, 32), squash()]
    model = nn.Sequential(*layers, nn.Linear(32, 10))
    if not broken:
        for layer in model:
            if isinstance(layer, nn.Linear):
                nn.init.kaiming_normal_(layer.weight)
    optimizer = SGD(model.parameters(), lr=0.01)
    watch(model, optimizer)
    for _ in range(6):
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


def same_order(watch: Watch, broken: bool) -> None:
    model = mlp()
    optimizer = Adam(model.parameters())
    watch(model, optimizer)
    for _ in range(4):
        for x, y in loader(*digits(), shuffle=not broken):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


FIRST = (
    Bug("zero_grad missing", ("loop/zero_grad_missing",), zero_grad_missing),
    Bug("zero_grad before step", ("loop/zero_grad_before_step",), zero_grad_misplaced),
    Bug("backward in every tenth step", ("loop/step_without_backward",), backward_now_and_then),
    Bug("loss detached", ("loop/loss_detached",), loss_detached),
    Bug("losses summed with graphs", ("loop/graph_kept",), graph_kept),
    Bug(
        "head replaced after the optimizer",
        ("optimizer/foreign_parameters", "optimizer/missing_parameters"),
        head_replaced,
    ),
    Bug("head not in the optimizer", ("optimizer/missing_parameters",), head_forgotten),
    Bug("two optimizers share", ("optimizer/shared_parameters",), two_optimizers),
    Bug("eval left on", ("mode/eval_during_training",), eval_left_on),
    Bug("never in training mode", ("mode/eval_during_training",), never_in_training_mode),
    Bug(
        "evaluated in training mode",
        ("mode/training_during_evaluation",),
        evaluated_in_training_mode,
    ),
    Bug("scheduler never steps", ("schedule/never_steps",), scheduler_never),
    Bug("scheduler steps per batch", ("schedule/ended_early",), scheduler_per_batch),
    Bug("cosine steps per batch", ("schedule/past_its_end",), cosine_per_batch),
    Bug("learning rate too large", ("lr/too_large",), rate_too_large),
    Bug("learning rate too large, AdamW", ("lr/too_large",), rate_too_large_for_adam),
    Bug("learning rate too small", ("lr/too_small",), rate_too_small),
    Bug("first batch only", ("data/repeated_batch",), first_batch_only),
    Bug("data sorted by class", ("data/sorted_labels",), sorted_labels),
    Bug("labels of other inputs", ("data/nothing_learned",), labels_of_other_inputs),
    Bug("uneven accumulation", ("accumulation/uneven",), uneven_accumulation),
    Bug("summed accumulation", ("accumulation/summed",), summed_accumulation),
    Bug("graph cut by detach", ("loop/graph_cut",), graph_cut),
    Bug("division by a zero spread", ("loss/not_finite",), constant_example),
    Bug("norm at zero", ("gradient/not_finite", "loss/not_finite"), norm_at_zero),
    Bug("dead units", ("units/dead",), dead_units),
    Bug("vanishing gradients", ("gradient/vanishes",), vanishing),
    Bug("clipped at every step", ("clip/always",), clipped_always),
    Bug("same order in every epoch", ("data/same_order",), same_order),
)
