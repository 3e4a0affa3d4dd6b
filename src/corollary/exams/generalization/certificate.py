r"""Certificates.

Upper bounds on the error on new samples of the same kind, which hold with a stated probability.

* *Around the weights as they are*: each weight gets a normal law with the weight as its mean, and
  the prior is centred at zero, because no other choice is known to have been made before the data
  were seen. The divergence between the two measures how much the weights depend on the data; the
  bound is its kl inversion. With more parameters than samples it is nearly always vacuous, and the
  finding says so. * *From held-back samples*: a network trained on half of the samples, judged on
  the other half, where the number of errors is binomial. The bound is exact, and holds for that
  network. * *With a learned prior*: half of the samples train the prior; the other half train the
  posterior by minimising the bound itself. The certificate holds for a randomised network that used
  all samples.

The standard deviation of the weights is taken from a grid, and the probability of failure is shared
between the bound, the draws and the points of the grid.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 9.1 and 9.2; Maurer (2004), "A note
    on the PAC-Bayesian theorem"; Dziugaite and Roy (2017), "Computing nonvacuous generalization
    bounds for deep (stochastic) neural networks"; Ambroladze, Parrado-Hernandez and Shawe-Taylor
    (2007), "Tighter PAC-Bayes bounds" (priors learned on a part of the data).
:kind: exam
:cost: seconds
:claims: pac_bayes_recipe, pac_bayes_theorem, posterior_divergence, mcallester
"""

import copy
import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn

from corollary.core import Batch, Budget, Exam, Finding, Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.labelled_scores import scores_of
from corollary.exams.readings import upwards
from corollary.exams.risks import risk_of
from corollary.exams.trials import LEAST, Outcome, drawn_anew, trial_of
from corollary.exams.work import Meter
from corollary.theory.generalization.divergence import kl_inverse
from corollary.train.loss_landscape import need_real_parameters
from corollary.train.pac_bayes import GaussianPosterior, holdout_bound, pac_bayes_certificate
from corollary.train.pac_bayes.gibbs import gibbs_error
from corollary.train.pac_bayes.priors import prior_means

SAMPLES = 1024
DELTA, FOR_DRAWS = 0.05, 0.01  # probability of failure, and the part of it for the drawn weights
SIGMAS = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01)  # times the root mean square of a layer's weights
HOPELESS = 0.9  # a bound that is there without a single error is not looked at further
DRAWS, SHARED = 10_000, 400  # weights drawn for each sample, or for groups of samples
STEPS, FEWEST = 200, 40  # of a posterior that is trained
PROBE = 64


class Around(NamedTuple):
    """The best certificate over the grid."""

    bound: float
    sigma: float
    kl: float
    price: float
    error: float
    draws: int


class Certificates(Exam):
    """Three certificates, from the present weights to weights trained for the certificate."""

    share = 8.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The bounds, each with the network it holds for."""
        need_real_parameters(subject)
        batch = subject.labelled(SAMPLES)
        if batch.size < LEAST:
            raise NotApplicableError(
                f"expected at least {LEAST} samples, got {batch.size}; a certificate from so "
                "few samples would guarantee nothing"
            )
        with subject.borrowed(), torch.no_grad():
            scores_of(subject, batch.first(8))  # refuses what is no classifier
        said = 0
        for part in (self._as_it_is, self._kept_back, self._learned):
            try:
                yield part(subject, batch, budget)
                said += 1
            except CorollaryError as error:  # this one does not apply, another may
                why = str(error)
        if not said:
            raise NotApplicableError(why)

    def _as_it_is(self, subject: Subject, batch: Batch, budget: Budget) -> Finding:
        x, y = _pair(subject, batch)
        with subject.borrowed():
            found, chance = _around(subject, x, y), risk_of(subject, batch).chance
        nothing = found.bound >= chance
        return self.finding(
            "PAC-Bayes certificate of the present weights",
            quantity="bound on the error rate",
            value=upwards(100 * found.bound),
            unit=f"% (with probability {1 - DELTA:g})",
            expected=f"below {100 * chance:.2g} %, the error rate of the best constant answer",
            meaning="Vacuous: nothing is guaranteed for new samples. The KL divergence "
            f"between weights and prior is {found.kl:,.0f} nats, too much for "
            f"{len(x):,} samples."
            if nothing
            else "If noise is added to the weights, the error rate on new samples is at most "
            "this bound.",
            claims=("pac_bayes_theorem", "posterior_divergence"),
            details=found._asdict() | {"n": len(x), "delta": DELTA},
        )

    def _kept_back(self, subject: Subject, batch: Batch, budget: Budget) -> Finding:
        found = trial_of(subject, budget)
        wrong, n = _errors(found), found.trial.rest.size
        bound = holdout_bound(wrong, n, DELTA)
        return self.finding(
            "Certificate from held-back samples",
            quantity="bound on the error rate",
            value=upwards(100 * bound),
            unit=f"% (with probability {1 - DELTA:g})",
            expected=f"below {100 * found.rest.chance:.2g} %, the error rate of the best constant "
            "answer",
            meaning=f"After {len(found.losses)} steps on {found.trial.train.size} samples, "
            f"the network classified {wrong} of {n} other samples wrongly.",
            claims=("pac_bayes_recipe",),
            details={"wrong": wrong, "n": n, "delta": DELTA},
        )

    def _learned(self, subject: Subject, batch: Batch, budget: Budget) -> Finding:
        outcome = trial_of(subject, budget)
        trial, chance = outcome.trial, outcome.rest.chance
        x, y = _pair(subject, batch)
        model = copy.deepcopy(subject.model)
        if trial.fresh and drawn_anew(model, subject.seed):
            raise NotApplicableError("some weights cannot be reinitialised")
        with subject.borrowed():
            steps, draws = _affordable(model, x, y, budget)
            found = pac_bayes_certificate(
                model.requires_grad_(True),
                (x, y),
                prior=copy.deepcopy(model),
                learn_prior=0.5,
                delta=DELTA,
                steps=steps,
                batch_size=128,
                draws=draws,
                rng=subject.seed,
            )
        return self.finding(
            "PAC-Bayes certificate with a learned prior",
            quantity="bound on the error rate",
            value=upwards(100 * found.bound),
            unit=f"% (with probability {1 - DELTA:g})",
            expected=f"close to {100 * found.error:.2g} %, the error rate on its training samples",
            meaning="Vacuous: the bound says nothing about new samples."
            if found.bound >= chance
            else "The error rate of a randomised network of this architecture on new samples is "
            "at most this bound. The KL divergence of this network from a prior learned on "
            f"half of the samples is {found.kl:.2g} nats.",
            claims=("pac_bayes_recipe", "mcallester"),
            details=dict(found.rows()) | {"steps": steps},
        )


def _pair(subject: Subject, batch: Batch) -> tuple[Tensor, Tensor]:
    if batch.named or len(batch.inputs) != 1 or subject.selector is not None:
        raise NotApplicableError("certificates are for one input and one output")
    return batch.inputs[0], batch.target.reshape(-1)


def _around(subject: Subject, x: Tensor, y: Tensor) -> Around:
    """Bounds over the grid of noise levels, without those that the divergence makes vacuous."""
    prior_means(subject.model, None)  # refuses statistics that were learned
    posterior = GaussianPosterior(subject.model, x[:PROBE])
    sizes = [float(p.detach().square().mean().sqrt()) or 1e-3 for p in posterior._theta().values()]
    n, best = len(x), None
    for sigma in SIGMAS:
        with torch.no_grad():
            for log_s, size in zip(posterior.log_s, sizes, strict=True):
                log_s.fill_(2 * math.log(sigma * size))
        kl, grid = posterior.on_grid()
        right = (kl + grid.price + math.log(2 * math.sqrt(n) / (DELTA - FOR_DRAWS))) / n
        error, upper, draws = math.nan, 1.0, 0
        if kl_inverse(0.0, right) < (HOPELESS if best is None else min(best.bound, HOPELESS)):
            wanted = DRAWS if posterior.independent else SHARED
            gibbs = gibbs_error(posterior, (x, y), draws=wanted, seed=subject.seed)
            error, draws = gibbs.error, gibbs.draws
            upper = gibbs.upper(FOR_DRAWS / len(SIGMAS))
        found = Around(kl_inverse(upper, right), sigma, kl, grid.price, error, draws)
        if best is None or found.bound < best.bound:
            best = found
    assert best is not None, "the grid is not empty"
    return best


def _errors(found: Outcome) -> int:
    each = found.rest.each
    if not found.rest.classes or not bool(((each == 0) | (each == 1)).all()):
        raise NotApplicableError("this exam needs a classifier with one label per sample")
    return int(each.sum())


def _affordable(model: nn.Module, x: Tensor, y: Tensor, budget: Budget) -> tuple[int, int]:
    """Steps of a posterior that fit into a quarter of the budget, and the draws of its weights."""
    posterior = GaussianPosterior(model, x[:PROBE])
    with Meter() as meter:
        posterior.smooth_error(x[:128], y[:128]).backward()
    steps = min(STEPS, int(0.25 * budget.left / (2 * meter.seconds)))
    if steps < FEWEST:
        raise NotApplicableError("a posterior cannot be trained within the budget")
    return steps, DRAWS if posterior.independent else SHARED
