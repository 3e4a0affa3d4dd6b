"""Language models over characters, all trained, evaluated and sampled in the same way."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.core import Curve, Figure, Outcome
from corollary.data.real import tinyshakespeare
from corollary.theory.sequences.decoding.sampling import sample
from corollary.train.trainer import fit
from corollary.train.weight_decay import decay_groups

CHARACTERS = 65  # different ones in the text
CONTEXT = 64  # characters that a model sees
BATCH = 12  # windows per step
WARMUP, FLOOR = 100, 0.1  # steps of rising learning rate; the share of it that is left at the end
PROMPT = "\nROMEO:\n"


def next_character_loss(
    logits: Float[Tensor, "b t K"], target: Int[Tensor, "b t"]
) -> Float[Tensor, ""]:
    """Mean negative log-likelihood in nats."""
    return F.cross_entropy(logits.flatten(0, 1), target.flatten())


def learn_characters(model: nn.Module, *, steps: int, windows: int, seed: int) -> Outcome:
    """Train on nine tenths of the text; the value is the loss on the last tenth, in nats.

    The optimizer is AdamW with learning rate 1e-3, betas 0.9 and 0.99, and weight decay 0.1 on
    matrices. Gradients are clipped at 1. The schedule has a warm-up of 100 steps and a cosine decay
    to a tenth. A step uses 12 windows of 64 characters; the loss is of the first ``windows`` held
    out.
    """
    text = tinyshakespeare()
    alphabet = sorted(set(text))
    place = {character: i for i, character in enumerate(alphabet)}
    tokens = torch.tensor([place[character] for character in text])
    train, held_out = tokens[: len(tokens) * 9 // 10], tokens[len(tokens) * 9 // 10 :]
    drawn = train.unfold(0, CONTEXT + 1, 1)  # all windows, as a view
    adam = torch.optim.AdamW(decay_groups(model, 0.1), lr=1e-3, betas=(0.9, 0.99))
    history = fit(
        model,
        (drawn[:, :-1], drawn[:, 1:]),
        next_character_loss,
        adam,
        steps=steps,
        batch_size=BATCH,
        rng=seed,
        schedule=lambda step: _warm_up_and_cosine(step, steps),
        clip=1.0,
    )
    model.eval()
    with torch.no_grad():
        rows = held_out.unfold(0, CONTEXT + 1, CONTEXT)[:windows]  # each character once
        loss = float(next_character_loss(model(rows[:, :-1]), rows[:, 1:]))
        prompt = torch.tensor([place[character] for character in PROMPT])
        written = "".join(alphabet[i] for i in continued(model, prompt, min(300, windows), seed))
    curve = Figure(
        "Loss while training",
        x="step",
        y="nats per character",
        marks=(_smoothed(history["loss"]),),
    )
    size = float(sum(p.numel() for p in model.parameters()))
    numbers = {"bits per character": loss / math.log(2), "parameters": size}
    return Outcome(loss, (curve,), PROMPT.lstrip() + written, numbers)


def continued(
    model: nn.Module, prompt: Int[Tensor, " t"], length: int, seed: int
) -> Int[Tensor, " length"]:
    """Characters drawn one after the other, each from the last ``CONTEXT`` characters."""
    rng = torch.Generator().manual_seed(seed)
    text = prompt
    for _ in range(length):
        follows = model(text[None, -CONTEXT:])[0, -1].log_softmax(0)
        text = torch.cat([text, sample(follows[None], rng=rng)])
    return text[len(prompt) :]


def _warm_up_and_cosine(step: int, steps: int) -> float:
    if step < WARMUP:
        return (step + 1) / (WARMUP + 1)
    done = min(1.0, (step - WARMUP) / max(1, steps - WARMUP))
    return FLOOR + (1 - FLOOR) * (1 + math.cos(math.pi * done)) / 2


def _smoothed(loss: list[float]) -> Curve:
    window = max(1, min(50, len(loss) // 10))
    means = torch.tensor(loss).unfold(0, window, 1).mean(1)
    return Curve(means.tolist(), label=f"training, mean of {window} steps")
