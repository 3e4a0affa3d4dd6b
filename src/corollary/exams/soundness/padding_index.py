r"""Padding and real tokens.

``nn.Embedding(..., padding_idx=p)`` gives token :math:`p` the vector zero and never a gradient.
This is meant for padding at one end of a sequence. If token :math:`p` occurs between other tokens,
or alone in its sample and as often as others, it is a real word, relation or user, which cannot be
learned.

:source: Paszke et al. (2019), "PyTorch: an imperative style, high-performance deep learning
    library"; documentation of ``torch.nn.Embedding``, on ``padding_idx``.
:kind: exam
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

SAMPLES = 512
BETWEEN = 0.05  # of the samples have it between other tokens
# Times the median share of other tokens: a filler for what is missing is far more frequent.
AS_OTHERS = 3.0


class PaddingIndex(Exam):
    """Which tokens are at the padding index of an embedding."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """For every embedding with a padding index."""
        seen = _indices(subject)
        if not seen:
            raise NotApplicableError("no embedding has a padding_idx")
        for name, (layer, ids) in seen.items():
            assert layer.padding_idx is not None, "chosen so"
            yield self._one(name, layer.padding_idx, ids)

    def _one(self, name: str, padding: int, ids: Tensor) -> Finding:
        share = _used_as_token(ids, padding)
        real = share > BETWEEN
        return self.finding(
            "padding_idx is a real token" if real else "Padding index",
            severity=Severity.MEDIUM if real else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            where=name,
            value=rounded(100 * share),
            unit=f"% of the samples contain index {padding} as a real token",
            expected="0 %, because padding stands only at one end",
            meaning=f"The embedding '{name}' has padding_idx={padding}, but index {padding} is "
            "used like any other token. The vector of this token is 0 and gets no "
            "gradient, so it is never learned."
            if real
            else f"Index {padding} occurs only as padding, or not at all.",
            advice=f"Remove padding_idx, or number the tokens from {padding + 1} and keep "
            f"index {padding} for padding."
            if real
            else "",
            change=f"- nn.Embedding(n, d, padding_idx={padding})\n+ nn.Embedding(n, d)"
            if real
            else "",
            explains=("function/features_read", "learning/*") if real else (),
        )


def _used_as_token(ids: Tensor, padding: int) -> float:
    """The share of samples in which the padding index is used as a token."""
    here = ids == padding
    if ids.shape[1] == 1:
        _, counts = ids[~here].unique(return_counts=True)
        share = float(here.cpu().double().mean())
        if len(counts) < 2 or share > AS_OTHERS * float(counts.cpu().double().median()) / len(ids):
            return 0.0
        return 1.0 if share > 0 else 0.0
    before = (~here).cumsum(1) > 0
    after = (~here).flip(1).cumsum(1).flip(1) > 0
    return float((here & before & after).any(1).cpu().double().mean())


def _indices(subject: Subject) -> dict[str, tuple[nn.Embedding, Tensor]]:
    """Embeddings with a padding index, and the indices that each gets, one row per sample."""
    batch = subject.data(SAMPLES)
    seen: dict[str, tuple[nn.Embedding, Tensor]] = {}
    handles = []

    def watch(name: str, layer: nn.Embedding) -> None:
        def see(_: nn.Module, inputs: tuple[object, ...]) -> None:
            ids = inputs[0] if inputs else None
            if isinstance(ids, Tensor) and ids.dim() > 0 and len(ids) == batch.size:
                seen.setdefault(name, (layer, ids.detach().reshape(len(ids), -1)))

        handles.append(layer.register_forward_pre_hook(see))

    for name, module in subject.model.named_modules():
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            watch(name, module)
    if not handles:
        return {}
    try:
        with subject.borrowed(), torch.no_grad():
            subject.call(batch)
    finally:
        for handle in handles:
            handle.remove()
    return seen
