"""Correct loops that look unusual: nothing of medium or high severity may be said of them."""

import copy
import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_
from torch.optim import LBFGS, SGD, Adam, AdamW, SparseAdam
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, LambdaLR
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader

from loops.material import Gpt, cnn, mlp, next_token_loss, text
from loops.planted import Watch
from loops.second.material import Backbone, Letters, series
from loops.third.material import batches, perceptron, ring, split_digits, table


def warm_up_from_zero(watch: Watch) -> None:
    """The first step has a learning rate of 0, and the last ones nearly."""
    model = Gpt()
    optimizer = AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
    total = 96

    def factor(step: int) -> float:
        rise = min(1.0, step / 10)
        return rise * 0.5 * (1 + math.cos(math.pi * min(1.0, step / total)))

    scheduler = LambdaLR(optimizer, factor)
    watch(model, optimizer)
    for _ in range(6):
        for rows in DataLoader(text(), batch_size=32, shuffle=True):
            optimizer.zero_grad()
            next_token_loss(model(rows), rows).backward()
            optimizer.step()
            scheduler.step()


def frozen_embedding(watch: Watch) -> None:
    """Random vectors of the tokens that stay as they are, on purpose."""
    model = Letters()
    model.token.requires_grad_(False)
    optimizer = Adam((p for p in model.parameters() if p.requires_grad), lr=3e-3)
    watch(model, optimizer)
    for _ in range(5):
        for rows in DataLoader(text(), batch_size=32, shuffle=True):
            optimizer.zero_grad()
            next_token_loss(model(rows), rows).backward()
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()


def statistics_kept_in_fine_tuning(watch: Watch) -> None:
    """All weights are tuned, batch norm stays in evaluation mode with its old statistics."""
    x, y, x_test, y_test = split_digits(images=True)
    model = Backbone()
    before = Adam(model.parameters(), lr=2e-3)
    for a, b in batches(x, y):
        before.zero_grad()
        F.cross_entropy(model(a), b).backward()
        before.step()
    optimizer = SGD(model.parameters(), lr=5e-3, momentum=0.9)
    watch(model, optimizer)
    for _ in range(4):
        model.train()
        for layer in model.modules():
            if isinstance(layer, nn.BatchNorm2d):
                layer.eval()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            F.cross_entropy(model(x_test), y_test)


def second_order_per_batch(watch: Watch) -> None:
    """LBFGS with a closure on one batch per step, which is the same batch within a step."""
    x, y = table(640)
    model = perceptron(8, 1)
    optimizer = LBFGS(model.parameters(), lr=0.3, max_iter=4, line_search_fn="strong_wolfe")
    watch(model, optimizer)
    for _ in range(6):
        for a, b in batches(x, y, size=320):

            def closure(a: Tensor = a, b: Tensor = b) -> Tensor:
                optimizer.zero_grad()
                loss = F.mse_loss(model(a), b)
                loss.backward()
                return loss

            optimizer.step(closure)


def slow_weights(watch: Watch) -> None:
    """Lookahead: every fifth step the weights go half of the way back."""
    x, y, _, _ = split_digits()
    model = mlp()
    slow = [p.detach().clone() for p in model.parameters()]
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    step = 0
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            step += 1
            if step % 5 == 0:
                with torch.no_grad():
                    for kept, p in zip(slow, model.parameters(), strict=True):
                        kept.lerp_(p, 0.5)
                        p.copy_(kept)


def mixed_precision_in_pieces(watch: Watch) -> None:
    """Scaled loss, four pieces, unscaled before the clipping, the scaler updated per step."""
    x, y, _, _ = split_digits()
    model = mlp()
    optimizer = AdamW(model.parameters(), lr=2e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    watch(model, optimizer)
    optimizer.zero_grad()
    for _ in range(8):
        for k, (a, b) in enumerate(batches(x, y, size=25), start=1):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(model(a).float(), b) / 4
            scaler.scale(loss).backward()
            if k % 4 == 0:
                scaler.unscale_(optimizer)
                clip_grad_norm_(model.parameters(), 5.0)
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()


def focal_with_weights(watch: Watch) -> None:
    """Rare positives: a focal loss with a larger weight of the positives."""
    x = torch.randn(2000, 8)
    y = ((x[:, 0] + x[:, 1] * x[:, 2]) > 2.2).float()
    model = perceptron(8, 1)
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            out = model(a).squeeze(1)
            right = torch.where(b > 0, out, -out).sigmoid()
            each = F.binary_cross_entropy_with_logits(out, b, reduction="none")
            each = each * (1 - right).square() * torch.where(b > 0, 4.0, 1.0)
            optimizer.zero_grad()
            each.mean().backward()
            optimizer.step()


def strong_decay(watch: Watch) -> None:
    """Few noisy rows and a decay of 0.3, which shrinks the weights for a reason."""
    x, y = table(256)
    y = y + 0.5 * torch.randn_like(y)
    model = perceptron(8, 1)
    optimizer = AdamW(model.parameters(), lr=3e-3, weight_decay=0.3)
    watch(model, optimizer)
    for _ in range(50):
        for a, b in batches(x, y, size=64):
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            optimizer.step()


def ten_rows_for_long(watch: Watch) -> None:
    """Few examples, all in each batch, until they are known by heart."""
    x, y, _, _ = split_digits()
    first = [int((y == c).nonzero()[0]) for c in range(10)]
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    watch(model, optimizer)
    for _ in range(150):
        optimizer.zero_grad()
        F.cross_entropy(model(x[first]), y[first], label_smoothing=0.1).backward()
        optimizer.step()


def one_task_after_the_other(watch: Watch) -> None:
    """Continual learning: the second task with a pull to the weights of the first."""
    x, y, _, _ = split_digits()
    model = mlp()
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    old: list[Tensor] = []
    for task in (y < 5, y >= 5):
        for _ in range(5):
            for a, b in batches(x[task], y[task]):
                pull = sum(
                    (p - q).square().sum() for p, q in zip(model.parameters(), old, strict=False)
                )
                optimizer.zero_grad()
                (F.cross_entropy(model(a), b) + 0.5 * pull).backward()
                optimizer.step()
        old = [p.detach().clone() for p in model.parameters()]


def hinge_at_two_speeds(watch: Watch) -> None:
    """GAN: hinge losses, and a discriminator four times as fast, which steps twice."""
    gan = nn.ModuleDict({"generator": perceptron(4, 2), "discriminator": perceptron(2, 1)})
    optimizer_g = Adam(gan["generator"].parameters(), lr=5e-4, betas=(0.0, 0.9))
    optimizer_d = Adam(gan["discriminator"].parameters(), lr=2e-3, betas=(0.0, 0.9))
    watch(gan, [optimizer_g, optimizer_d])
    for _ in range(300):
        for _ in range(2):
            real, noise = ring(64), torch.randn(64, 4)
            with torch.no_grad():
                fakes = gan["generator"](noise)
            loss = F.relu(1 - gan["discriminator"](real)).mean()
            loss = loss + F.relu(1 + gan["discriminator"](fakes)).mean()
            optimizer_d.zero_grad()
            loss.backward()
            optimizer_d.step()
        optimizer_g.zero_grad()
        (-gan["discriminator"](gan["generator"](torch.randn(64, 4))).mean()).backward()
        optimizer_g.step()


def noise_in_the_gradient(watch: Watch) -> None:
    """Langevin dynamics: noise is added to each gradient, and sampling never settles."""
    x, y = table(640)
    model = perceptron(8, 1)
    optimizer = SGD(model.parameters(), lr=0.02)
    watch(model, optimizer)
    for _ in range(15):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            for p in model.parameters():
                p.grad.add_(torch.randn_like(p), alpha=0.02)
            optimizer.step()


def snapshots(watch: Watch) -> None:
    """Cosine restarts, and a copy of the network at the end of each cycle."""
    x, y, x_test, _ = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    data = batches(x, y)
    scheduler = CosineAnnealingWarmRestarts(optimizer, T_0=3 * len(data))
    watch(model, optimizer)
    kept = []
    for epoch in range(9):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            scheduler.step()
        if epoch % 3 == 2:
            kept.append(copy.deepcopy(model).eval())
            with torch.no_grad():
                torch.stack([net(x_test).softmax(1) for net in kept]).mean(0)


def density(watch: Watch) -> None:
    """A log-likelihood of numbers, whose loss is below zero from some step on."""
    x, y = table(1280)
    y = 0.05 * y
    model = perceptron(8, 2)
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(10):
        for a, b in batches(x, y):
            mean, log_spread = model(a).chunk(2, dim=1)
            loss = (log_spread + 0.5 * ((b - mean) / log_spread.exp()).square()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


class Stack(nn.Module):
    """Residual blocks, of which a random part is left out in training."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(64, 48), nn.Linear(48, 10)
        self.blocks = nn.ModuleList(nn.Linear(48, 48) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        h = self.first(x)
        for block in self.blocks:
            if not self.training or torch.rand(()) < 0.7:
                h = h + checkpoint(block, h.relu(), use_reentrant=False)
        return self.last(h.relu())


def depth_at_random(watch: Watch) -> None:
    """Stochastic depth and gradient checkpoints: a block has no gradient in some steps."""
    x, y, x_test, _ = split_digits()
    model = Stack()
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(6):
        model.train()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            model(x_test)


def sparse_and_dense(watch: Watch) -> None:
    """Sparse gradients of an embedding with an optimizer of their own."""
    ids = torch.randint(0, 500, (1280, 6))
    table_of = torch.randn(500)
    y = table_of[ids].mean(1, keepdim=True)
    model = nn.Sequential(nn.EmbeddingBag(500, 16, mode="mean", sparse=True), perceptron(16, 1))
    of_embedding = SparseAdam(list(model[0].parameters()), lr=1e-2)
    of_rest = Adam(model[1].parameters(), lr=2e-3)
    watch(model, [of_embedding, of_rest])
    for _ in range(10):
        for a, b in batches(ids, y):
            of_embedding.zero_grad()
            of_rest.zero_grad()
            F.mse_loss(model(a), b).backward()
            of_embedding.step()
            of_rest.step()


def losses_weigh_themselves(watch: Watch) -> None:
    """Two losses whose weights are learned, in one optimizer with the network."""
    x, y, _, _ = split_digits()
    ink = x.mean(1, keepdim=True)
    model = nn.ModuleDict({"body": mlp(outputs=32), "name": nn.Linear(32, 10)})
    model["ink"] = nn.Linear(32, 1)
    model["spread"] = nn.ParameterList([nn.Parameter(torch.zeros(2))])
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        for rows in DataLoader(torch.arange(len(x)), batch_size=64, shuffle=True):
            h = model["body"](x[rows]).relu()
            losses = torch.stack(
                [
                    F.cross_entropy(model["name"](h), y[rows]),
                    F.mse_loss(model["ink"](h), ink[rows]),
                ]
            )
            spread = model["spread"][0]
            optimizer.zero_grad()
            ((-spread).exp() * losses + spread).sum().backward()
            optimizer.step()


def cropped_once_per_epoch(watch: Watch) -> None:
    """Convolutions on pictures that all move by the same pixel within an epoch."""
    x, y, _, _ = split_digits(images=True)
    model = cnn()
    optimizer = SGD(model.parameters(), lr=0.02, momentum=0.9, nesterov=True)
    watch(model, optimizer)
    for epoch in range(5):
        moved = x.roll((epoch % 3 - 1, (epoch + 1) % 3 - 1), dims=(2, 3))
        for a, b in batches(moved, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b, label_smoothing=0.1).backward()
            optimizer.step()


def longer_and_longer_series(watch: Watch) -> None:
    """A recurrent classifier that sees the beginning of each series first, then all of it."""
    x, y = series()
    model = nn.ModuleDict({"rnn": nn.GRU(2, 32, batch_first=True), "head": nn.Linear(32, 3)})
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for epoch in range(8):
        n = 9 + epoch
        for a, b in batches(x, y):
            states, _ = model["rnn"](a[:, :n])
            optimizer.zero_grad()
            F.cross_entropy(model["head"](states[:, -1]), b).backward()
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()


LOOPS = (
    warm_up_from_zero,
    frozen_embedding,
    statistics_kept_in_fine_tuning,
    second_order_per_batch,
    slow_weights,
    mixed_precision_in_pieces,
    focal_with_weights,
    strong_decay,
    ten_rows_for_long,
    one_task_after_the_other,
    hinge_at_two_speeds,
    noise_in_the_gradient,
    snapshots,
    density,
    depth_at_random,
    sparse_and_dense,
    losses_weigh_themselves,
    cropped_once_per_epoch,
    longer_and_longer_series,
)
