r"""Captions of photographs from German to English.

A recurrent network with attention (GRUs with 256 units) and a transformer (two blocks in encoder
and decoder, width 128, four heads) are trained on the 29,000 pairs of Multi30k. Words are in lower
case, and words that occur once are unknown. The optimizer is Adam with learning rate 1e-3, a linear
warm-up of 400 steps and a cosine schedule, in batches of 128, with label smoothing 0.1 and dropout
0.1. The value is the BLEU score of the 2016 test set, as sacrebleu computes it, on lower-case text
with a beam of four. Published scores use subword vocabularies and larger networks, so they have no
equal setting here.

:source: Elliott, Frank, Sima'an and Specia (2016), "Multi30K: multilingual English-German image
    descriptions" (data); Bahdanau, Cho and Bengio (2015), "Neural machine translation by jointly
    learning to align and translate"; Vaswani et al. (2017), "Attention is all you need".
:cost: minutes
"""

import math
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.core import Curve, Experiment, Figure, HeatMap, Outcome, Row
from corollary.data.sentences import multi30k
from corollary.experiments.translations._captions import (
    PAD,
    Rows,
    Vocabulary,
    translated,
)
from corollary.models.recurrent.additive_attention import AdditiveAttention
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.seq2seq import Seq2Seq
from corollary.models.transformers.translation import Transformer
from corollary.theory.sequences.bleu import bleu
from corollary.train.trainer import fit

WARMUP = 400  # steps


class Captions(Experiment):
    net: Literal["GRU", "transformer"] = "transformer"  # which network
    width: int = 128  # numbers of a word
    epochs: int = 10  # passes over the pairs
    pairs: int = 29_000  # that train
    tests: int = 1000  # captions that test
    beam: int = 4  # prefixes that are kept

    metric = "BLEU"
    rows = (
        Row("GRU with attention, Multi30k", net="GRU"),
        Row("Transformer, Multi30k"),
    )
    seeds = 3
    quick = {"width": 32, "epochs": 1, "pairs": 400, "tests": 8, "beam": 2}

    def run(self, seed: int) -> Outcome:
        german, english = (part[: self.pairs] for part in multi30k("train"))
        test_german, test_english = (part[: self.tests] for part in multi30k("test"))
        de, en = Vocabulary(german), Vocabulary(english)
        x, y, x_test = de.rows(german), en.rows(english), de.rows(test_german)
        net = self._net(len(de.words), len(en.words), seed)
        steps = self.epochs * -(-len(german) // 128)
        history = fit(
            net,
            (x.ids, y.ids, x.lengths, y.ids),
            next_word_loss,
            lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.98)),
            epochs=self.epochs,
            batch_size=128,
            rng=seed,
            clip=1.0,
            schedule=lambda step: _warm_up_and_cosine(step, steps),
            call=without_padding,
        )
        net.eval()
        meant = [caption.lower() for caption in test_english]
        with torch.no_grad():
            said = {
                width: [en.text(tokens) for tokens in translated(net, x_test, width)]
                for width in (1, self.beam)
            }
        curve = Curve(history["loss"], label="training")
        loss = Figure("Loss while training", x="step", y="nats per word", marks=(curve,))
        figures = [loss, *_alignment(net, de, en, x_test, en.rows(test_english))]
        shown = zip(test_german[:4], said[self.beam], meant, strict=False)
        text = "\n\n".join(f"{german}\n→ {ours}\n({theirs})" for german, ours, theirs in shown)
        size = float(sum(p.numel() for p in net.parameters()))
        numbers = {"BLEU of greedy search": bleu(said[1], meant), "parameters": size}
        return Outcome(bleu(said[self.beam], meant), tuple(figures), text, numbers)

    def _net(self, source: int, target: int, seed: int) -> Any:
        how: dict[str, Any] = {
            "rng": torch.Generator().manual_seed(seed),
            "dtype": torch.float32,
        }
        if self.net == "transformer":
            return Transformer(
                source, target, d_model=self.width, heads=4, layers=2, dropout=0.1, **how
            )
        d, m = self.width, 2 * self.width
        return Seq2Seq(
            GRUCell(d, m, **how),
            GRUCell(d + m, m, **how),
            source,
            target,
            attention=AdditiveAttention(m, m, m, **how),
            rng=how["rng"],
        )


def next_word_loss(logits: Float[Tensor, "b t K"], target: Int[Tensor, "b t"]) -> Float[Tensor, ""]:
    """Mean over words of the cross entropy with smoothed labels; padding has no part."""
    return F.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=PAD, label_smoothing=0.1
    )


def without_padding(
    model: nn.Module, loss: Any, x: Tensor, y: Tensor, lengths: Tensor, target: Tensor
) -> Any:
    """The loss of a batch whose captions are cut to the longest one of the batch."""
    words, said = int(lengths.max()), int((target != PAD).sum(1).max())
    return loss(model(x[:, :words], y[:, :said], lengths), target[:, :said])


def _warm_up_and_cosine(step: int, steps: int) -> float:
    warmup = min(WARMUP, steps // 4 + 1)
    if step < warmup:
        return (step + 1) / warmup
    return (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup))) / 2


@torch.no_grad()
def _alignment(net: nn.Module, de: Vocabulary, en: Vocabulary, x: Rows, y: Rows) -> list[Figure]:
    """Where attention looks while the reference of the first test caption is read."""
    if not isinstance(net, Seq2Seq):
        return []
    s, t = int(x.lengths[0]), int(y.lengths[0])
    a = net.alignment(x.ids[:1, :s], y.ids[:1, :t])[0]
    mark = HeatMap(a.tolist(), x=(0.5, s + 0.5), y=(0.5, t + 0.5), label="weight")
    source, target = (v.text(r.ids[0].tolist()) for v, r in ((de, x), (en, y)))
    caption = f"German: {source}. English: {target}."
    title = "Alignment of the first test caption"
    return [Figure(title, x="German word", y="English word", marks=(mark,), caption=caption)]
