r"""Number of parameters and number of samples.

Classical statistics needs more samples than parameters, and the bound of Vapnik and Chervonenkis
needs many more: a ReLU network with W weights in L layers has a VC dimension of order :math:`WL\log
W`, and the bound is informative only for at least as many samples. Practical networks violate both
conditions and generalise anyway, so a large number of parameters is not a fault. It only means that
the explanation must come from norms, margins, flatness or a certificate.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3; Bartlett, Harvey, Liaw and
    Mehrabian (2019), "Nearly-tight VC-dimension and pseudodimension bounds for piecewise linear
    neural networks"; Zhang et al. (2017), "Understanding deep learning requires rethinking
    generalization".
:kind: exam
:claims: network_vc_dimension, vc_dimension_bound
"""

import math
from collections.abc import Iterator

from corollary.core import Budget, Exam, Finding, Subject
from corollary.errors import NotApplicableError
from corollary.exams.chains import chain_of, dense_relu_matrices
from corollary.exams.readings import roughly, rounded
from corollary.theory.generalization.vc_networks import Vacuity, vacuity

DELTA, EPS = 0.05, 0.1


class ParameterCount(Exam):
    """Trainable parameters per sample, and the VC bound."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The count for every module, and the bound for dense ReLU networks."""
        W, n = sum(p.numel() for p in subject.parameters().values()), subject.everything().size
        if W == 0:
            raise NotApplicableError("the module has no trainable parameters")
        yield self.finding(
            "Parameters and samples",
            value=rounded(W / n),
            unit=f"trainable parameters per sample ({W:,} parameters, {n:,} samples)",
            meaning="There are fewer parameters than samples, so bounds that count parameters can "
            "apply."
            if W < n
            else "There are more parameters than samples, so bounds that count parameters say "
            "nothing. Networks with more parameters than samples often generalise anyway.",
            details={"parameters": W, "samples": n},
        )
        widths = _widths(subject)
        if widths is not None:
            yield self._vc(vacuity(widths, n, DELTA, eps=EPS), n)

    def _vc(self, found: Vacuity, n: int) -> Finding:
        return self.finding(
            "VC bound",
            quantity="bound on the VC dimension",
            value=rounded(found.dimension),
            expected=f"well below the {n:,} samples",
            meaning=f"Vacuous: the bound guarantees a gap of {EPS:g} only with "
            f"{roughly(found.needed)} samples."
            if found.vacuous
            else f"With probability {1 - DELTA:g} the error rate on new samples exceeds the "
            f"error rate on the training samples by at most {found.deviation:.2g}.",
            claims=("network_vc_dimension", "vc_dimension_bound"),
            details={"needed": found.needed, "deviation": found.deviation},
        )


def _widths(subject: Subject) -> list[int] | None:
    """Widths of a dense ReLU network with one output, for which the VC dimension is defined."""
    try:
        with subject.borrowed():
            matrices, biased = dense_relu_matrices(chain_of(subject, subject.data(2)))
    except NotApplicableError:
        return None
    widths = [W.shape[1] - biased for W in matrices] + [1]
    enough = sum(i * k for i, k in enumerate(widths[1:], start=1)) >= 3
    return widths if enough and math.prod(widths) > 0 else None
