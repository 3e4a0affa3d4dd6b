r"""Conditioning.

Along an eigenvector of the Hessian with eigenvalue :math:`\lambda` gradient descent at its largest
stable step needs about :math:`\lambda_{\max}/\lambda` steps. The largest eigenvalue is compared
with the tenth largest: a few very steep directions limit the learning rate for all others.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 5, on the condition number; Sagun,
    Evci, Guney, Dauphin and Bottou (2018), "Empirical analysis of the Hessian of
    over-parametrized neural networks".
:kind: exam
:cost: seconds
"""

import warnings
from collections.abc import Iterator

from corollary.core import Budget, Exam, Figure, Finding, Points, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import affordable
from corollary.exams.readings import rounded
from corollary.theory.landscape.curvature import top_eigenpairs
from corollary.train.loss_landscape import landscape_of

SAMPLES, TOP = 256, 10
PRODUCTS = 120  # with the Hessian, each about three times a gradient
# Outliers of classification networks stand ten to a hundred times above the bulk (Sagun et al.,
# 2018); a hundred times that is an input or a layer of another scale.
FAR = 1e4


class Conditioning(Exam):
    """The ten largest eigenvalues of the Hessian."""

    share = 8.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The ratio of the largest to the tenth largest eigenvalue."""
        landscape = landscape_of(subject, affordable(subject, budget, 3 * PRODUCTS, SAMPLES))
        if landscape.size <= TOP:
            raise NotApplicableError(f"this exam needs more than {TOP} parameters")
        with warnings.catch_warnings():  # what did not converge in time is told below
            warnings.simplefilter("ignore", RuntimeWarning)
            pairs = top_eigenpairs(
                landscape, TOP, tol=1e-2, max_products=PRODUCTS, rng=subject.rng("conditioning")
            )
        if not bool(pairs.converged.all()):
            raise NotApplicableError("the largest curvatures could not be found within the budget")
        values = [float(v) for v in pairs.values]
        if not values[-1] > 0:
            raise NotApplicableError(
                "the Hessian has fewer than ten positive eigenvalues at these weights"
            )
        ratio = values[0] / values[-1]
        yield self.finding(
            "One direction of the loss is far too steep" if ratio > FAR else "Conditioning",
            severity=Severity.LOW if ratio > FAR else Severity.NONE,
            quantity="largest eigenvalue / tenth largest",
            value=rounded(ratio),
            expected=f"below {FAR:g}",
            meaning="The steepest direction limits the learning rate, so training is slow in all "
            "other directions."
            if ratio > FAR
            else "No direction is so steep that it slows down training in the other directions.",
            advice="Standardise the inputs, or use an adaptive method such as Adam."
            if ratio > FAR
            else "",
            figures=(_figure(values),),
        )


def _figure(values: list[float]) -> Figure:
    mark = Points(list(range(1, len(values) + 1)), values, label="eigenvalues of the Hessian")
    return Figure("Largest curvatures", x="k", y="λ", log_y=min(values) > 0, marks=(mark,))
