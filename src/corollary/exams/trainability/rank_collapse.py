r"""Rank collapse.

If the outputs of a layer point the same way for all samples, later layers cannot tell the samples
apart. The mean cosine between two samples' outputs is followed through the layers. In deep networks
without normalisation it goes to one; residual connections and an initialisation at the edge of
chaos slow this down. With more than two layers the output is shown but not judged: no layer comes
after it, and its few numbers are often alike at the start. A layer after which samples lie apart
again is not judged either, because a normalisation or a residual connection preserves their
differences. In sequences, the positions are compared too: attention alone makes all positions
converge to the same vector, at a rate that is doubly exponential in the depth.

:source: Schoenholz, Gilmer, Ganguli and Sohl-Dickstein (2017), "Deep information propagation";
    Daneshmand, Kohler, Bach, Hofmann and Lucchi (2020), "Batch normalization provably avoids
    ranks collapse for randomly initialised deep networks"; Dong, Cordonnier and Loukas (2021),
    "Attention is not all you need: pure attention loses rank doubly exponentially with depth".
:kind: exam
"""

from collections.abc import Iterator

import torch

from corollary.core import (
    Budget,
    Curve,
    Exam,
    Figure,
    Finding,
    Level,
    Mark,
    Points,
    Severity,
    Subject,
)
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import signal_of, trace_of
from corollary.exams.readings import rounded
from corollary.theory.modules.trace import Trace

SAMPLES = 128
# At a cosine of 0.999 the part of the outputs that differs is 3 % of their length.
ALIKE, APART = 0.999, 0.99
POSITIONS = 4  # of a sequence, at least


class RankCollapse(Exam):
    """Mean cosines between samples, and between positions of a sample, layer by layer."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The last layer compared with the first."""
        with subject.borrowed() as model:
            deep = signal_of(subject, model, SAMPLES).weighted()
            tokens = _tokens(trace_of(subject, SAMPLES))
        if len(tokens) > 2:
            yield self._tokens_apart(tokens)
        # Two numbers of one sign always have a cosine of 1: a layer of one unit says nothing.
        known = [
            (h.name, h.similarity) for h in deep if h.width > 1 and h.similarity == h.similarity
        ]
        if len(known) < 2:
            raise NotApplicableError("there are fewer than two layers with weights")
        hidden = known[:-1] if len(known) > 2 else known
        name, last = max(hidden, key=lambda pair: pair[1])
        lost = [pair for i, pair in enumerate(hidden) if _for_good(known[i:])]
        collapsed = bool(lost) and known[0][1] < APART
        if collapsed:
            name, last = max(lost, key=lambda pair: pair[1])
        yield self.finding(
            "Samples look alike" if collapsed else "Samples stay apart",
            severity=Severity.HIGH if collapsed else Severity.NONE,
            remedy="fresh start",
            where=name,
            quantity="mean cosine between two samples",
            value=rounded(last, 4 if last > APART else 2),
            expected=f"below {ALIKE:g}",
            meaning="In this layer, different samples give almost the same output, and later "
            "layers cannot separate these samples."
            if collapsed
            else "In this layer, different samples give almost the same output, but later "
            "layers still separate these samples."
            if last > ALIKE
            else f"No {'hidden ' if len(hidden) < len(known) else ''}layer gives almost the "
            "same output for different samples. This layer comes closest.",
            advice="Add normalisation or residual connections, or use fewer layers."
            if collapsed
            else "",
            figures=(_figure(known, len(hidden), name),),
        )

    def _tokens_apart(self, known: list[tuple[str, float]]) -> Finding:
        """Attention without residual connections makes all positions of a sequence the same."""
        lost = [pair for i, pair in enumerate(known[:-1]) if _for_good(known[i:])]
        collapsed = bool(lost) and known[0][1] < APART
        name, last = lost[0] if collapsed else max(known, key=lambda pair: pair[1])
        return self.finding(
            "Positions of a sequence look alike" if collapsed else "Positions stay apart",
            severity=Severity.HIGH if collapsed else Severity.NONE,
            remedy="fresh start",
            where=name,
            quantity="mean cosine between two positions of a sample",
            value=rounded(last, 4 if last > APART else 2),
            expected=f"below {ALIKE:g}",
            meaning="From this layer on, all positions of a sequence have almost the same vector."
            if collapsed
            else "No layer gives all positions of a sequence the same vector. This layer "
            "comes closest.",
            advice="Keep the residual connections around attention, and add a positional "
            "encoding to the tokens."
            if collapsed
            else "",
        )


def _tokens(trace: Trace) -> list[tuple[str, float]]:
    """The mean cosine between positions of one sample, at each layer that has positions."""
    found = []
    for call in trace.of("linear", "addmm", "layer_norm", "rms_norm"):
        h = call.y.detach()
        if h.dim() == 3 and h.shape[1] >= POSITIONS and h.shape[2] > 1 and not h.is_complex():
            unit = torch.nn.functional.normalize(h.cpu().double(), dim=2)
            n = h.shape[1]
            likeness = (unit.sum(1).square().sum(1) - unit.square().sum((1, 2))) / (n * (n - 1))
            found.append((call.name, float(likeness.mean())))
    return found


def _for_good(later: list[tuple[str, float]]) -> bool:
    """Whether samples are alike from the first of these layers up to the last."""
    return later[0][1] > ALIKE and all(likeness > APART for _, likeness in later)


def _figure(known: list[tuple[str, float]], hidden: int, name: str) -> Figure:
    cosines = [s for _, s in known]
    depth = [i + 1 for i in range(len(known))]
    at = [n for n, _ in known[:hidden]].index(name)
    marks: list[Mark] = [
        Curve(cosines[:hidden], depth[:hidden], label="mean cosine"),
        Points(depth[at : at + 1], cosines[at : at + 1], label=f"most alike, {name}"),
        Level(ALIKE, label="alike"),
    ]
    if hidden < len(known):
        marks.append(Points(depth[-1:], cosines[-1:], label="output, not judged", role="other"))
    return Figure("Likeness of samples", x="layer with weights", y="cosine", marks=tuple(marks))
