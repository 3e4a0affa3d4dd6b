"""Loops that the Trainer of Hugging Face runs, on a small GPT-2."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim import SGD, AdamW

from loops.material import next_token_loss, text
from loops.planted import Watch
from loops.second.transformers_loops import lines, small_gpt, trained
from loops.third.real import Ended, RealBug, unwatched


def ended(model: Any, ids: Tensor, watcher: Any) -> Ended:
    """Score by the loss on the sequences themselves, where a label is not -100."""
    with torch.no_grad():
        logits = model.eval()(ids.clamp(min=0)).logits
        return Ended(-float(next_token_loss(logits, ids)), watcher)


def schedule_of_one_epoch(watch: Watch, broken: bool) -> Ended:
    from transformers import get_linear_schedule_with_warmup

    model, ids = small_gpt(), text()
    steps = len(ids) // 16  # of one epoch
    optimizer = AdamW(model.parameters(), lr=2e-3)
    planned = steps if broken else 6 * steps
    scheduler = get_linear_schedule_with_warmup(optimizer, 10, planned)
    watcher = trained(
        model,
        lines(ids),
        (optimizer, scheduler),
        watched=watch is not unwatched,
        max_steps=6 * steps,
    )
    return ended(model, ids, watcher)


def mean_of_each_piece(watch: Watch, broken: bool) -> Ended:
    model, ids, pieces = small_gpt(), text(), 8

    def loss(outputs: Any, labels: Tensor, num_items_in_batch: Any = None) -> Tensor:
        flat, wanted = outputs.logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten()
        if broken:
            return F.cross_entropy(flat, wanted)  # the Trainer adds eight of these
        return F.cross_entropy(flat, wanted, reduction="sum") / (pieces * len(wanted))

    optimizer = SGD(model.parameters(), lr=0.15, momentum=0.9)
    watcher = trained(
        model,
        lines(ids),
        (optimizer, None),
        watched=watch is not unwatched,
        loss=loss,
        max_steps=100,
        gradient_accumulation_steps=pieces,
        per_device_train_batch_size=4,
        max_grad_norm=0.0,
    )
    return ended(model, ids, watcher)


def warm_up_longer_than_the_run(watch: Watch, broken: bool) -> Ended:
    model, ids = small_gpt(), text()
    watcher = trained(
        model,
        lines(ids),
        watched=watch is not unwatched,
        warmup_steps=20_000 if broken else 20,
        max_steps=200,
    )
    return ended(model, ids, watcher)


def padding_in_the_labels(watch: Watch, broken: bool) -> Ended:
    model, ids = small_gpt(), 1 + text(tokens=31)
    length = torch.randint(3, 8, (len(ids), 1))
    there = torch.arange(ids.shape[1]) < length
    wanted = torch.where(there, ids, -100)
    padded = torch.where(there, ids, 0)
    labels = padded if broken else wanted
    data = [
        {"input_ids": row, "attention_mask": seen.long(), "labels": label}
        for row, seen, label in zip(padded, there, labels, strict=True)
    ]
    watcher = trained(model, data, watched=watch is not unwatched, max_steps=200)
    return ended(model, wanted, watcher)


BUGS = (
    RealBug(
        "Trainer: schedule planned for one epoch",
        "https://github.com/determined-ai/determined/pull/711",
        "The scheduler was planned for the steps of one epoch of six, and the learning rate is "
        "zero in the other five.",
        ("learning rate|schedul", "zero|ended|early|past its|past the|end of|too small|too few"),
        schedule_of_one_epoch,
        bad=-2.0,
        good=-1.6,
    ),
    RealBug(
        "Trainer: mean loss of each accumulated piece",
        "https://github.com/huggingface/transformers/issues/37766",
        "The Trainer expects a loss divided by the items of all pieces; the mean of each piece "
        "makes gradients eight times too large.",
        (
            "accumul|piece|micro",
            "summed|sum of|divid|too large|times as|times too|num_items|added|average",
        ),
        mean_of_each_piece,
        bad=-3.0,
        good=-1.8,
    ),
    RealBug(
        "Trainer: warm-up longer than the run",
        "https://github.com/hirofumi0810/neural_sp/issues/137",
        "The learning rate rises through the whole run and ends at a hundredth of what was meant.",
        ("learning rate|schedul|warm", "too small|too low|warm|slow|never reach|not reach|peak"),
        warm_up_longer_than_the_run,
        bad=-2.8,
        good=-1.6,
    ),
    RealBug(
        "Trainer: padding in the labels",
        "https://github.com/open-jarvis/OpenJarvis/pull/521",
        "Labels of padding are not set to -100, so most of the loss says that "
        "padding follows padding.",
        (
            "pad|-100|ignore_index|masked|one token|same token|one label|same label"
            "|imbalanc|majority",
        ),
        padding_in_the_labels,
        bad=-2.5,
        good=-2.0,
    ),
)
