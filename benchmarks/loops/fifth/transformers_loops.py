"""Loops that the Trainer of Hugging Face runs, on small networks from a config."""

import tempfile
import warnings
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from loops.material import next_token_loss, text
from loops.planted import Watch
from loops.second.transformers_loops import lines, small_gpt, trained
from loops.third.real import Ended, RealBug, moved, unwatched, weights


def weights_removed(watch: Watch, broken: bool) -> Ended:
    """Half of the lines are rubbish, and have a weight of 0."""
    from transformers import PrinterCallback, Trainer, TrainingArguments

    from corollary.watch.transformers import WatchCallback

    class Weighted(Trainer):
        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any
        ) -> Any:
            each = inputs.pop("weight", None)
            out = model(input_ids=inputs["input_ids"])
            labels = inputs["labels"]
            flat = out.logits[:, :-1].flatten(0, 1)
            loss = F.cross_entropy(flat, labels[:, 1:].flatten(), reduction="none")
            loss = loss.reshape(len(labels), -1).mean(1)
            loss = loss.mean() if each is None else (loss * each).sum() / each.sum().clamp(min=1)
            return (loss, out) if return_outputs else loss

    model, clean = small_gpt(), text(256)
    rubbish = torch.randint(0, 32, (768, 24))
    data = lines(torch.cat([clean, rubbish]))
    for k, row in enumerate(data):
        row["weight"] = torch.tensor(float(k < len(clean)))
    callback = WatchCallback(to=None, quiet=True)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = TrainingArguments(
            output_dir=folder,
            max_steps=150,
            per_device_train_batch_size=32,
            learning_rate=3e-3,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
            use_cpu=True,
            remove_unused_columns=broken,  # which is the default
        )
        trainer = Weighted(
            model=model,
            args=arguments,
            train_dataset=data,
            callbacks=[] if watch is unwatched else [callback],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    fresh = text(256)
    with torch.no_grad():
        loss = next_token_loss(model.eval()(fresh).logits, fresh)
    return Ended(-float(loss), callback.watcher)


def decoder_reads_the_labels(watch: Watch, broken: bool) -> Ended:
    from transformers import T5Config, T5ForConditionalGeneration

    model = T5ForConditionalGeneration(
        T5Config(
            vocab_size=32,
            d_model=32,
            d_kv=8,
            d_ff=64,
            num_layers=1,
            num_heads=4,
            dropout_rate=0.0,
            decoder_start_token_id=0,
            pad_token_id=0,
        )
    )

    def pairs(n: int) -> tuple[Tensor, Tensor]:
        """A number, eight times, and the eight numbers that follow it."""
        start = torch.randint(0, 30, (n, 1))
        return start.expand(-1, 8) + 1, (start + torch.arange(8)) % 30 + 1

    ids, labels = pairs(512)
    data = [{"input_ids": a, "labels": b} for a, b in zip(ids, labels, strict=True)]
    if broken:
        data = [row | {"decoder_input_ids": row["labels"].clone()} for row in data]
    watcher = trained(
        model, data, watched=watch is not unwatched, max_steps=150, learning_rate=1e-2
    )
    ids, labels = pairs(128)
    with torch.no_grad():  # the decoder begins with the start token and reads what came before
        loss = model.eval()(input_ids=ids, labels=labels).loss
    return Ended(-float(loss), watcher)


def head_under_another_name(watch: Watch, broken: bool) -> Ended:
    model, ids = small_gpt(), text()
    for name, p in model.named_parameters():
        p.requires_grad_("ln_f" in name or "lm_head" in name)
    if not broken:
        model.lm_head.weight.requires_grad_(True)
    before = weights(model.lm_head)
    watcher = trained(model, lines(ids), watched=watch is not unwatched, max_steps=80)
    return Ended(moved(model.lm_head, before), watcher)


BUGS = (
    RealBug(
        "Trainer: column of weights removed",
        "https://github.com/huggingface/transformers/issues/25054 (2023)",
        "remove_unused_columns drops the weights of the examples, which the loss then does not "
        "find and leaves out.",
        (
            "column|weight|remove_unused|dropped|removed",
            "column|unused|remove_unused|dropped from|examples|not reach|lost|ignored",
        ),
        weights_removed,
        bad=-1.9,
        good=-1.6,
    ),
    RealBug(
        "Trainer: the decoder reads the labels",
        "https://github.com/huggingface/transformers/issues/11977 (2021)",
        "decoder_input_ids are the labels and not the labels shifted by one, so the decoder "
        "copies what it reads.",
        (
            "decoder|label|target|input",
            "shift|leak|copy|copies|same as|identical|equal|too good|trivial|sees the|target in"
            "|among the inputs|suspicious|too low|future",
        ),
        decoder_reads_the_labels,
        bad=-3.0,
        good=-1.0,
    ),
    RealBug(
        "Trainer: the head is frozen with the embedding",
        "https://github.com/huggingface/transformers/issues/11903 (2021)",
        "The head shares the weights of the embedding and is not found by its name, so only the "
        "last norm trains.",
        (
            "frozen|freez|requires_grad|not train|never train|no gradient|tied|share|few param"
            "|little of|small share|most param|trainable|part of the|only",
            "head|embedding|parameter|weight|norm|network|model|layer",
        ),
        head_under_another_name,
        bad=0.0,
        good=0.9,
    ),
)
