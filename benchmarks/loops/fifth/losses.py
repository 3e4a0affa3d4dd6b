"""Losses that ask for something else, and gradients that are cleared too soon."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam
from torch.utils.data import DataLoader

from loops.fifth.material import Encoder, trained_mlp
from loops.material import mlp, next_token_loss, text
from loops.planted import Watch
from loops.third.material import batches, split_digits
from loops.third.real import Ended, RealBug, accuracy


def cleared_before_the_last_piece(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.05)
    watch(model, optimizer)
    optimizer.zero_grad()
    for _ in range(8):
        for k, (a, b) in enumerate(batches(x, y, size=16), start=1):
            if broken and k % 4 == 0:
                optimizer.zero_grad()
            (F.cross_entropy(model(a), b) / 4).backward()
            if k % 4 == 0:
                optimizer.step()
                if not broken:
                    optimizer.zero_grad()
    return Ended(accuracy(model, x_test, y_test))


def softmax_twice(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = nn.Sequential(*mlp(), nn.Softmax(dim=1)) if broken else mlp()
    optimizer = SGD(model.parameters(), lr=0.1)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test, y_test))


def targets_are_the_inputs(watch: Watch, broken: bool) -> Ended:
    ids = text()
    model = Encoder(causal=True)
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(10):
        for rows in DataLoader(ids, batch_size=32, shuffle=True):
            logits = model(rows)
            optimizer.zero_grad()
            if broken:
                F.cross_entropy(logits.flatten(0, 1), rows.flatten()).backward()
            else:
                next_token_loss(logits, rows).backward()
            optimizer.step()
    fresh = text(256)
    with torch.no_grad():
        return Ended(-float(next_token_loss(model.eval()(fresh), fresh)))


def no_causal_mask(watch: Watch, broken: bool) -> Ended:
    ids = text()
    model = Encoder(causal=not broken)
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(10):
        for rows in DataLoader(ids, batch_size=32, shuffle=True):
            optimizer.zero_grad()
            next_token_loss(model(rows), rows).backward()
            optimizer.step()
    fresh = text(256)
    with torch.no_grad():  # as in use: nothing is there yet behind the last token
        last = [model.eval()(fresh[:, :n])[:, -1] for n in (6, 12, 18)]
        wanted = [fresh[:, n] for n in (6, 12, 18)]
        return Ended(-float(F.cross_entropy(torch.cat(last), torch.cat(wanted))))


class Coder(nn.Module):
    """A variational autoencoder of the digits with eight numbers as the code."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16))
        self.decoder = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        code = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        return self.decoder(code), mean, log_variance


def divergence_summed(watch: Watch, broken: bool) -> Ended:
    x, _, x_test, _ = split_digits()
    model = Coder()
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(25):
        for a in DataLoader(x, batch_size=64, shuffle=True, drop_last=True):
            out, mean, log_variance = model(a)
            divergence = 0.5 * (mean.square() + log_variance.exp() - log_variance - 1).sum()
            if broken:
                loss = F.mse_loss(out, a) + divergence
            else:
                loss = (F.mse_loss(out, a, reduction="sum") + divergence) / len(a)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        left = F.mse_loss(model.decoder(model.encoder(x_test)[:, :8]), x_test)
        return Ended(1 - float(left / F.mse_loss(x.mean(0).expand_as(x_test), x_test)))


def teacher_against_itself(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    teacher = trained_mlp(x, y)
    student = mlp(width=32)
    labels = y.clone()
    labels[40:] = -100  # few are left for the student
    optimizer = Adam(student.parameters(), lr=2e-3)
    watch(student, optimizer)
    for _ in range(12):
        for a, b in batches(x, labels):
            with torch.no_grad():
                wanted = teacher(a)
            out = student(a)
            given = wanted if broken else out
            soft = F.kl_div(
                F.log_softmax(given / 3, 1), (wanted / 3).softmax(1), reduction="batchmean"
            )
            hard = F.cross_entropy(out, b, ignore_index=-100, reduction="sum") / len(a)
            optimizer.zero_grad()
            (9 * soft + hard).backward()
            optimizer.step()
    return Ended(accuracy(student, x_test, y_test))


def divergence_of_probabilities(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, _ = split_digits()
    teacher = trained_mlp(x, y)
    student = mlp(width=48)
    optimizer = Adam(student.parameters(), lr=2e-3)
    watch(student, optimizer)
    for _ in range(12):
        for a, _ in batches(x, y):
            with torch.no_grad():
                wanted = (teacher(a) / 4).softmax(1)
            out = student(a) / 4
            given = out.softmax(1) if broken else out.log_softmax(1)
            optimizer.zero_grad()
            F.kl_div(given, wanted, reduction="batchmean").backward()
            optimizer.step()
    with torch.no_grad():
        wanted = (teacher(x_test) / 4).softmax(1)
        out = (student.eval()(x_test) / 4).log_softmax(1)
        return Ended(-float(F.kl_div(out, wanted, reduction="batchmean")))


def decayed_though_frozen(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits()
    model = trained_mlp(x, y)
    body, head = model[:-1], model[-1]
    body.requires_grad_(False)
    before = copy.deepcopy(body.state_dict())
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(6):
        for a, b in batches(x, 9 - y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            with torch.no_grad():  # decay apart from the gradient, before the step
                for p in (model if broken else head).parameters():
                    p.mul_(1 - 1e-3 * 0.1)
            optimizer.step()
    after = body.state_dict()
    same = [bool((after[name] == before[name]).all()) for name in before]
    return Ended(sum(same) / len(same))


BUGS = (
    RealBug(
        "accumulation: cleared before the last piece",
        "https://github.com/pytorch/ignite/issues/583 (2019)",
        "The gradients are cleared at the start of the batch that also steps, so a step uses the "
        "last of four pieces only.",
        (
            "clear|zero_grad|discard|lost|thrown|wiped|reset|dropped|unused|overwritten",
            "accumul|before the step|before step|last piece|last batch|last micro|before the last"
            "|only the last|several backward|multiple backward|backward calls|between backward"
            "|never used|without a step|not used|pieces|micro-batch|without step",
        ),
        cleared_before_the_last_piece,
        bad=0.8,
        good=0.88,
    ),
    RealBug(
        "softmax before cross entropy",
        "https://discuss.pytorch.org/t/cross-entropy-loss-is-not-decreasing/43814 (2019)",
        "The network ends in a softmax, and the cross entropy applies another one.",
        ("softmax|probabilit|logits|normalized twice|normalised twice",),
        softmax_twice,
        bad=0.85,
        good=0.93,
    ),
    RealBug(
        "language model: targets are the inputs",
        "https://github.com/huggingface/transformers/pull/404 (2019)",
        "The labels are not shifted: each token is predicted from itself, the loss goes to zero, "
        "and the next token is never learned.",
        (
            "shift|leak|copy|copies|identity|same token|target|label|input|next token|trivial"
            "|too good|suspicious",
            "input|shift|leak|copies|copy|identity|zero|trivial|itself|too good|too low|suspicious",
        ),
        targets_are_the_inputs,
        bad=-4.0,
        good=-1.2,
    ),
    RealBug(
        "language model: no causal mask",
        "https://github.com/pytorch/tutorials/pull/2662 (2023)",
        "Attention sees the tokens that are to be predicted, so the loss goes to zero and the "
        "model predicts nothing in use.",
        (
            "mask|causal|future|leak|look ahead|lookahead|look-ahead|later token|later position"
            "|sees the target|sees the answer|depends on the target|too good|peek",
        ),
        no_causal_mask,
        bad=-1.5,
        good=-1.0,
    ),
    RealBug(
        "VAE: divergence summed, reconstruction averaged",
        "https://github.com/zdebruine/MMVAE/pull/19 (2024)",
        "The divergence is summed over batch and code, the squared error is averaged over "
        "everything: the code goes to zero information.",
        (
            "collapse|divergence|kl |latent|code|dominat|outweigh|ignored|ignores|constant output"
            "|does not depend|independent of|same output|input has no|weight of the",
        ),
        divergence_summed,
        bad=0.1,
        good=0.4,
    ),
    RealBug(
        "distillation: teacher compared with itself",
        "https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/66 (2021)",
        "The soft loss has the teacher's logits on both sides, so it is constant and the student "
        "learns from the few labels only.",
        (
            "teacher|distill|constant|no gradient|without gradient|not depend|detached|zero loss"
            "|part of the loss|term|identical|same on both",
        ),
        teacher_against_itself,
        bad=0.85,
        good=0.9,
    ),
    RealBug(
        "distillation: divergence of probabilities",
        "https://github.com/microsoft/ProDA/issues/20 (2021)",
        "kl_div gets the student's probabilities where it expects their logarithms, so the loss "
        "is negative and asks for certainty.",
        (
            "negative|below zero|log|kl_div|divergence|probabilit",
            "negative|below zero|log-prob|log prob|log_softmax|log_prob|logarithm|log space"
            "|log-space",
        ),
        divergence_of_probabilities,
        bad=-0.3,
        good=-0.15,
    ),
    RealBug(
        "frozen layers decay",
        "https://github.com/open-mmlab/OpenPCDet/issues/845 (2022)",
        "A decay of its own, beside the optimizer, shrinks all weights, those of frozen layers, "
        "too.",
        (
            "frozen|freez|requires_grad|no gradient|without gradient|without a gradient"
            "|not by the optimizer|outside the optimizer|outside of the optimizer|beside"
            "|between steps|in place|in-place|by hand",
            "chang|decay|move|shrink|shrunk|written|modif|updat|drift|overwrit",
        ),
        decayed_though_frozen,
        bad=0.0,
        good=1.0,
    ),
)
