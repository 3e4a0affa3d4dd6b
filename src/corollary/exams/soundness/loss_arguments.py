r"""What the loss is called with.

Each loss of PyTorch documents what its arguments have to be: the blank of a CTC loss stands for *no
symbol* and must not be a target, losses of pairs and margins take the labels 1 and -1, a divergence
takes logarithms of probabilities, a triplet has three different vectors, and a class that is
ignored is not learned. The calls are recorded while the loss of a batch is computed, so they are
found in hand-written losses and inside the model as well.

:source: Paszke et al. (2019), "PyTorch: an imperative style, high-performance deep learning
    library"; documentation of ``torch.nn.functional``; Graves et al. (2006), "Connectionist
    temporal classification", Section 3.1, on the blank.
:kind: exam
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

SAMPLES = 256
AS_OTHERS = 3.0  # times the median share of other classes: padding is far more frequent
BETWEEN = 0.05  # of the sequences have it between other labels
CLOSE = 1e-3  # rounding of a sum of probabilities in single precision
EXPLAINS = ("trainability/*", "learning/*", "generalization/*", "function/*", "soundness/padding")
SIGNED: tuple[Callable[..., Tensor], ...] = (
    F.margin_ranking_loss,
    F.cosine_embedding_loss,
    F.hinge_embedding_loss,
    F.soft_margin_loss,
)


class Recorder(TorchFunctionMode):
    """The calls of functional losses, with their arguments by name."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, dict[str, Any]]] = []

    def __torch_function__(  # the signature is torch's
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run a call, and keep it if it is one of those that are looked at."""
        kwargs = kwargs or {}
        if func in LOOKED_AT:
            bound = inspect.signature(func).bind(*args, **kwargs)
            bound.apply_defaults()
            self.calls.append((func, dict(bound.arguments)))
        return func(*args, **kwargs)


class LossArguments(Exam):
    """Arguments of the losses that are called, against their documentation."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding for each argument that is not what the loss takes."""
        batch = subject.all_labelled().spread(SAMPLES)
        try:
            with subject.borrowed(train=True), torch.no_grad(), Recorder() as recorder:
                subject.loss(batch)
        except (RuntimeError, ValueError, IndexError, TypeError) as why:
            raise NotApplicableError(f"the loss cannot be computed ({why})") from None
        if not recorder.calls:
            raise NotApplicableError("no loss of torch.nn.functional with such arguments is called")
        found: dict[str, Finding] = {}
        for func, given in recorder.calls:
            for finding in self._asked(subject, func, given, batch.target):
                found.setdefault(finding.title, finding)
        yield from found.values()
        if not found:
            names = sorted({func.__name__ for func, _ in recorder.calls})
            yield self.finding(
                "Arguments of the loss",
                meaning=f"The arguments of {', '.join(names)} are those that the documentation "
                "asks for.",
            )

    def _asked(
        self, subject: Subject, func: Any, given: dict[str, Any], target: object
    ) -> Iterator[Finding]:
        if func is F.ctc_loss:
            yield from self._alignment(given)
        elif func is F.triplet_margin_loss:
            yield from self._triplet(given)
        elif func is F.kl_div:
            yield from self._divergence(given)
        elif func in (F.cross_entropy, F.nll_loss):
            yield from self._ignored(given, target)
        elif func in SIGNED:
            yield from self._signs(func.__name__, given["target"])

    def _fault(self, title: str, meaning: str, advice: str, **more: Any) -> Finding:
        more = {"severity": Severity.HIGH, "evidence": Evidence.CONFIRMED, **more}
        return self.finding(title, meaning=meaning, advice=advice, explains=EXPLAINS, **more)

    def _alignment(self, given: dict[str, Any]) -> Iterator[Finding]:
        targets, blank, log_p = given["targets"], given["blank"], given["log_probs"]
        wanted, frames = (
            torch.as_tensor(given[key]) for key in ("target_lengths", "input_lengths")
        )
        if targets.dim() == 2:
            inside = torch.arange(targets.shape[1]) < wanted.reshape(-1, 1).cpu()
            targets = targets.cpu()[inside.expand(len(targets), -1)]
        share = float((targets == blank).cpu().double().mean()) if targets.numel() else 0.0
        if share > 0:
            yield self._fault(
                "The targets contain the blank of the CTC loss",
                f"Symbol {blank} is the blank, which CTC reserves for 'no symbol'. Targets "
                "that contain it cannot be spelled.",
                "Number the symbols from 1 if the blank is 0, or pass another blank. The "
                "network needs one more output than there are symbols.",
                value=rounded(100 * share),
                unit="% of the target symbols are the blank",
                expected="0 %",
                change="- F.ctc_loss(log_p, symbols, ...)\n+ F.ctc_loss(log_p, symbols + 1, ...)",
            )
        if bool((wanted > frames).any()):
            yield self._fault(
                "Targets of the CTC loss are longer than their inputs",
                "A target with more symbols than frames cannot be aligned with the frames, so "
                "the loss is infinite.",
                "Use more frames (less stride or pooling) or shorter targets, and check the "
                "order of the lengths.",
            )
        if float(log_p.logsumexp(-1).abs().max()) > CLOSE:
            yield self._fault(
                "The CTC loss does not get log-probabilities",
                "The input of the CTC loss must be logarithms of probabilities that sum to 1 "
                "over the symbols.",
                "Apply log_softmax over the symbols (the last axis) before the loss.",
                change="- F.ctc_loss(out, ...)\n+ F.ctc_loss(out.log_softmax(-1), ...)",
            )

    def _triplet(self, given: dict[str, Any]) -> Iterator[Finding]:
        names = ("anchor", "positive", "negative")
        for i, one in enumerate(names):
            for other in names[i + 1 :]:
                a, b = given[one], given[other]
                if a.shape == b.shape and torch.equal(a, b):
                    yield self._fault(
                        f"The {one} and the {other} of the triplets are the same",
                        f"The distance between {one} and {other} is 0 for every sample, so one of "
                        "the three inputs is never compared.",
                        "Check which samples are passed as anchor, positive and negative.",
                    )

    def _divergence(self, given: dict[str, Any]) -> Iterator[Finding]:
        log_p, target = given["input"], given["target"]
        if float(log_p.max()) > CLOSE:
            yield self._fault(
                "The divergence does not get log-probabilities",
                "The first argument of kl_div must be logarithms of probabilities, but these "
                "values are positive.",
                "Pass log_softmax(output) as the first argument and probabilities as the second.",
                change="- F.kl_div(out, p)\n+ F.kl_div(out.log_softmax(-1), p)",
            )
        elif not given["log_target"] and float(target.min()) < -CLOSE:
            yield self._fault(
                "The targets of the divergence are not probabilities",
                "Without log_target=True, kl_div takes probabilities as targets, but some "
                "targets are negative.",
                "Pass softmax(target) as the second argument, or log_target=True.",
            )

    def _signs(self, name: str, target: Tensor) -> Iterator[Finding]:
        other = target[(target != 1) & (target != -1)]
        if other.numel():
            yield self._fault(
                f"The labels of {name} are not 1 and -1",
                f"{name} takes the labels 1 and -1. With the label {float(other[0]):g} a "
                "sample has no effect or the wrong effect.",
                "Use y = 2 * y - 1 for labels of 0 and 1.",
                change="+ y = 2 * y - 1",
            )

    def _ignored(self, given: dict[str, Any], target: object) -> Iterator[Finding]:
        c, k = (
            int(given["ignore_index"]),
            given["input"].shape[1 if given["input"].dim() > 1 else 0],
        )
        if not 0 <= c < k or not isinstance(target, Tensor) or target.is_floating_point():
            return
        share = float((target == c).cpu().double().mean())
        if not share > 0 or not _is_a_class(target, c):
            return
        yield self._fault(
            f"The loss ignores class {c}",
            f"With ignore_index={c}, samples (positions) of class {c} are skipped and have no "
            "gradient, so this class is never learned. It is not padding here.",
            "Use another ignore_index (-100, the default), and give padding its own label. "
            f"Class {c} then counts in the loss.",
            value=rounded(100 * share),
            unit=f"% of the labels are class {c}",
            expected="0 %, unless it marks padding",
            change=f"- nn.CrossEntropyLoss(ignore_index={c})\n+ nn.CrossEntropyLoss()",
        )


def _is_a_class(target: Tensor, c: int) -> bool:
    """Whether a label is as frequent as others, and stands between others where there is an order.

    Padding stands at the ends of sequences; what is not asked for is most of all labels.
    """
    counts = target[target >= 0].unique(return_counts=True)
    shares = dict(zip(counts[0].tolist(), counts[1].tolist(), strict=True))
    own = shares.pop(c, 0)
    if not shares or own > AS_OTHERS * sorted(shares.values())[len(shares) // 2]:
        return False
    if target.dim() != 2:
        return target.dim() == 1
    here = target == c
    before, after = (~here).cumsum(1) > 0, (~here).flip(1).cumsum(1).flip(1) > 0
    return float((here & before & after).any(1).cpu().double().mean()) > BETWEEN


LOOKED_AT = {
    *(F.ctc_loss, F.triplet_margin_loss, F.kl_div, F.cross_entropy, F.nll_loss),
    *SIGNED,
}
