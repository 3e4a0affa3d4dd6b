"""Loops that the Trainer of Hugging Face runs, on a small GPT-2."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim import AdamW

from loops.material import text
from loops.planted import Watch
from loops.second.transformers_loops import lines, small_gpt, trained
from loops.third.real import Ended, RealBug, unwatched
from loops.third.transformers_loops import ended


def shifted_twice(watch: Watch, broken: bool) -> Ended:
    model, ids = small_gpt(), text()
    shifted = torch.cat([ids[:, 1:], torch.full((len(ids), 1), -100)], 1)
    labels = shifted if broken else ids
    data = [{"input_ids": a, "labels": b} for a, b in zip(ids, labels, strict=True)]
    watcher = trained(model, data, watched=watch is not unwatched, max_steps=200)
    return ended(model, ids, watcher)


def end_of_text_masked(watch: Watch, broken: bool) -> Ended:
    model, ids, end = small_gpt(), 1 + text(tokens=31), 0  # also the token of padding
    length = torch.randint(6, 16, (len(ids), 1))
    place = torch.arange(ids.shape[1])
    padded = torch.where(place < length, ids, end)
    labels = padded.masked_fill(padded == end if broken else place > length, -100)
    data = [
        {"input_ids": a, "attention_mask": (place <= n).long(), "labels": b}
        for a, n, b in zip(padded, length, labels, strict=True)
    ]
    watcher = trained(model, data, watched=watch is not unwatched, max_steps=150)
    ends = padded.masked_fill(place != length, -100)
    return ended(model, padded, watcher)._replace(score=-loss_at(model, padded, ends))


@torch.no_grad()
def loss_at(model: Any, ids: Tensor, labels: Tensor) -> float:
    logits = model.eval()(ids).logits[:, :-1]
    return float(F.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten()))


def template_not_found(watch: Watch, broken: bool) -> Ended:
    """Questions and answers with 31 between them; the loss is for answers."""
    model, ids = small_gpt(), text(tokens=30)
    ids[:, 8] = 31
    template = torch.tensor([31, 30] if broken else [31])  # 30 would be a space
    labels = torch.stack([answer_of(row, template) for row in ids])
    data = [{"input_ids": a, "labels": b} for a, b in zip(ids, labels, strict=True)]
    watcher = trained(model, data, watched=watch is not unwatched, max_steps=150)
    wanted = torch.stack([answer_of(row, torch.tensor([31])) for row in ids])
    return Ended(-loss_at(model, ids, wanted), watcher)


def answer_of(row: Tensor, template: Tensor) -> Tensor:
    """Labels of what follows the template; all others are ignored."""
    found = (row.unfold(0, len(template), 1) == template).all(1).nonzero().flatten().tolist()
    begin = found[0] + len(template) if found else len(row)
    return torch.where(torch.arange(len(row)) < begin, -100, row)


def warm_up_of_a_constant_rate(watch: Watch, broken: bool) -> Ended:
    model, ids = small_gpt(), text()
    optimizer = AdamW(model.parameters(), lr=2e-3)
    used: list[float] = []
    optimizer.register_step_pre_hook(lambda o, *_: used.append(o.param_groups[0]["lr"]))
    watcher = trained(
        model,
        lines(ids),
        (optimizer, None),
        watched=watch is not unwatched,
        lr_scheduler_type="constant" if broken else "constant_with_warmup",
        warmup_steps=40,
        max_steps=120,
    )
    return Ended(-sum(used[:20]) / 20, watcher)


BUGS = (
    RealBug(
        "Trainer: labels shifted twice",
        "https://github.com/wdndev/tiny-llm-zh/issues/10",
        "The labels are shifted by one and the model shifts them once more, so it learns the "
        "token after the next.",
        (
            "shift|off by one|one position|next-next|two ahead|two tokens|one further|misalign"
            "|aligned",
        ),
        shifted_twice,
        bad=-3.0,
        good=-1.6,
    ),
    RealBug(
        "Trainer: end of text masked as padding",
        "https://github.com/huggingface/trl/issues/976",
        "The token of padding is the end of the text; where labels of padding are ignored the "
        "end is, too, and the model never learns to stop.",
        (
            "eos|end of text|end of the text|end-of|padding|pad token|pad_token|token",
            "ignored|-100|masked|never in the label|not in the label|no label|never a label"
            "|never predicted|never a target|never learn",
        ),
        end_of_text_masked,
        bad=-4.0,
        good=-2.6,
    ),
    RealBug(
        "Trainer: all labels ignored",
        "https://github.com/huggingface/trl/issues/1920",
        "The template that marks the answer is not found because it ends in a space, and every "
        "label is set to -100.",
        (
            "-100|ignore|masked|no label|without label|no target|without target|all labels"
            "|every label|empty label|no valid",
        ),
        template_not_found,
        bad=-3.2,
        good=-2.0,
    ),
    RealBug(
        "Trainer: constant learning rate ignores the warm-up",
        "https://github.com/d8ahazard/sd_dreambooth_extension/pull/557",
        "The schedule is 'constant' and not 'constant_with_warmup', so the steps of warm-up that "
        "were asked for do not happen.",
        ("warm",),
        warm_up_of_a_constant_rate,
        bad=-2e-3,
        good=-1e-3,
    ),
)
