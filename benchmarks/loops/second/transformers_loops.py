"""Loops that the Trainer of Hugging Face runs, on a small GPT-2."""

import tempfile
import warnings
from typing import Any

import torch
from torch import Tensor
from torch.optim import AdamW

from corollary.watch.watcher import Watcher
from loops.material import text
from loops.planted import Bug, Watch


def small_gpt() -> Any:
    """A GPT-2 of two layers, from its config."""
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=32,
            n_positions=24,
            n_embd=48,
            n_layer=2,
            n_head=4,
            bos_token_id=0,
            eos_token_id=0,
        )
    )


def lines(ids: Tensor) -> list[dict[str, Tensor]]:
    return [{"input_ids": row, "labels": row.clone()} for row in ids]


def trained(
    model: Any,
    data: Any,
    optimizers: Any = (None, None),
    watched: bool = True,
    loss: Any = None,
    **options: Any,
) -> Any:
    """Train under the callback, without files or bars, with the model's loss or another."""
    from transformers import PrinterCallback, Trainer, TrainingArguments

    from corollary.watch.transformers import WatchCallback

    callback = WatchCallback(to=None, quiet=True)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = {
            "max_steps": 150,
            "per_device_train_batch_size": 16,
            "learning_rate": 2e-3,
            "warmup_steps": 10,
        }
        arguments = TrainingArguments(
            output_dir=folder,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
            use_cpu=True,
            **(settings | options),
        )
        trainer = Trainer(
            model=model,
            args=arguments,
            train_dataset=data,
            callbacks=[callback] if watched else [],
            compute_loss_func=loss,
            optimizers=optimizers,
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    watcher: Watcher | None = callback.watcher
    return watcher


def clipped_to_a_thousandth(watch: Watch, broken: bool) -> Any:
    model = small_gpt()
    sgd = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    norm = 1e-3 if broken else 5.0
    return trained(model, lines(text()), optimizers=(sgd, None), max_grad_norm=norm)


def decay_of_everything(watch: Watch, broken: bool) -> Any:
    model = small_gpt()
    flat = [p for p in model.parameters() if p.ndim < 2]
    full = [p for p in model.parameters() if p.ndim >= 2]
    groups = [{"params": full}, {"params": flat, "weight_decay": 0.2 if broken else 0.0}]
    return trained(model, lines(text()), (AdamW(groups, lr=2e-3, weight_decay=0.2), None))


def slip_of_the_exponent(watch: Watch, broken: bool) -> Any:
    rate = 2e-8 if broken else 2e-3
    return trained(small_gpt(), lines(text()), learning_rate=rate, max_steps=250)


def labels_of_other_lines(watch: Watch, broken: bool) -> Any:
    ids = text()
    labels = ids[torch.randperm(len(ids))] if broken else ids.clone()
    data = [{"input_ids": a, "labels": b} for a, b in zip(ids, labels, strict=True)]
    return trained(small_gpt(), data, max_steps=250)


BUGS = (
    Bug("Trainer: clipped to a thousandth", ("clip/always",), clipped_to_a_thousandth),
    Bug("Trainer: decay of everything", ("optimizer/*decay*",), decay_of_everything),
    Bug("Trainer: slip of the exponent", ("lr/too_small",), slip_of_the_exponent),
    Bug("Trainer: labels of other lines", ("data/nothing_learned",), labels_of_other_lines),
)
