"""The learning rate over time, and what an optimizer remembers."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, AdamW
from torch.optim.lr_scheduler import LambdaLR, LinearLR, OneCycleLR

from loops.material import mlp, next_token_loss, text
from loops.planted import Watch
from loops.second.material import Letters, Recurrent
from loops.third.material import batches, series, split_digits
from loops.third.real import Ended, RealBug, accuracy

STEPS = 80  # where gradients are accumulated
PIECES = 4  # per step, where gradients are accumulated


def schedule_in_pieces(watch: Watch, broken: bool) -> Ended:
    model = Letters()
    optimizer = AdamW(model.parameters(), lr=5e-3)
    scheduler = LinearLR(optimizer, 1.0, 0.0, total_iters=STEPS)
    watch(model, optimizer)
    ids = text()
    for k in range(STEPS * PIECES):
        piece = ids[torch.randint(0, len(ids), (8,))]
        (next_token_loss(model(piece), piece) / PIECES).backward()
        last = k % PIECES == PIECES - 1
        if last:
            optimizer.step()
            optimizer.zero_grad()
        if last or broken:
            scheduler.step()
    with torch.no_grad():
        return Ended(-float(next_token_loss(model(ids), ids)))


def optimizer_made_anew(watch: Watch, broken: bool) -> Ended:
    model = Recurrent()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    x, y = series(1200)
    few = batches(x[:200], y[:200], size=50)
    watch(model, optimizer)
    for _ in range(90):
        if broken:
            optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
        for a, b in few:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x[200:], y[200:]))


class PostNorm(nn.Module):
    """A language model whose blocks are normalized after the residual sum."""

    def __init__(self, tokens: int = 32, width: int = 48, depth: int = 12) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(24, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(width, tokens)
        for p in self.blocks.parameters():
            if p.ndim > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        h = self.token(ids) + self.place(torch.arange(ids.shape[1]))
        return self.head(self.blocks(h, mask=mask, is_causal=True))


def no_warm_up(watch: Watch, broken: bool) -> Ended:
    model = PostNorm()
    optimizer = AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
    rise = LambdaLR(optimizer, lambda k: 1.0 if broken else min(1.0, (k + 1) / 80))
    watch(model, optimizer)
    ids = text(length=12)
    for _ in range(200):
        batch = ids[torch.randint(0, len(ids), (16,))]
        optimizer.zero_grad()
        next_token_loss(model(batch), batch).backward()
        optimizer.step()
        rise.step()
    with torch.no_grad():
        return Ended(-float(next_token_loss(model.eval()(ids), ids)))


def first_run() -> tuple[nn.Module, SGD]:
    """Five epochs on the first 100 digits, with a cycle of the learning rate that has ended."""
    x, y, _, _ = split_digits()
    model, data = mlp(), batches(x[:100], y[:100], size=20)
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    cycle = OneCycleLR(optimizer, 0.1, total_steps=26, final_div_factor=1e6)
    for _ in range(5):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            cycle.step()
    return model, optimizer


def resumed_at_the_end(watch: Watch, broken: bool) -> Ended:
    model, before = first_run()
    x, y, x_test, y_test = split_digits()
    optimizer = SGD(model.parameters(), lr=0.03, momentum=0.9)
    if broken:
        optimizer.load_state_dict(before.state_dict())  # also puts the old learning rate back
    watch(model, optimizer)
    for _ in range(10):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test, y_test))


BUGS = (
    RealBug(
        "accumulation: schedule stepped with each piece",
        "https://github.com/huggingface/accelerate/issues/963",
        "The scheduler steps four times per optimizer step, so the learning rate is zero after "
        "a quarter of the run.",
        (
            "schedul|learning rate",
            "early|ended|too often|too fast|more often|past its|past the|is zero|to zero"
            "|micro|accumul|without optimizer|between optimizer",
        ),
        schedule_in_pieces,
        bad=-1.8,
        good=-1.2,
    ),
    RealBug(
        "optimizer made anew in each epoch",
        "https://github.com/alan-turing-institute/deepsensor/issues/47",
        "Each epoch has a new optimizer, so its momentum is forgotten every four steps.",
        (
            "optimizer",
            "new optimizer|anew|another optimizer|other optimizer|recreat|re-creat|replaced"
            "|state is|lost|forg|reset|not the one|outside|not watched|not by the|moments",
        ),
        optimizer_made_anew,
        bad=0.9,
        good=0.92,
    ),
    RealBug(
        "post-norm transformer without warm-up",
        "https://github.com/LiyuanLucasLiu/Transformer-Clinic/issues/16",
        "The full learning rate from the first step is too large for a transformer that is "
        "normalized after its residual sums.",
        ("warm|learning rate", "warm|too large|too high|edge|unstable|instab|diverg"),
        no_warm_up,
        bad=-2.5,
        good=-1.3,
    ),
    RealBug(
        "resumed with the learning rate of an ended schedule",
        "https://github.com/Lightning-AI/pytorch-lightning/issues/19865",
        "Loading the state of the optimizer also loads the learning rate at the end of the "
        "last run, which is nearly zero.",
        ("learning rate", "too small|too low|tiny|nearly zero|almost zero|near zero|ended"),
        resumed_at_the_end,
        bad=0.9,
        good=0.92,
    ),
)
