r"""A certificate: an upper bound on the error of a randomised network, with all that was spent.

With probability at least :math:`1-\delta` over the samples and the drawn weights

.. math:: E_QR\ \le\ \mathrm{kl}^{-1}\Bigl(\bar q,\ \frac{\mathrm{KL}(Q\|P)+\text{price}
    +\ln(2\sqrt n/\delta_1)}n\Bigr),\qquad
    \bar q=\mathrm{kl}^{-1}\Bigl(\hat q,\ \frac{\ln(1/\delta_2)}m\Bigr),

:math:`\hat q` the share of errors on the sample over m independent draws of weights,
:math:`\delta_1+\delta_2=\delta`. The second inversion pays for the draws: errors of *different*
examples under their own draws are independent, and Chernoff's bound needs no more (Hoeffding 1963,
Theorem 1), so T passes over n examples count as :math:`m=Tn`. Where weights are shared by a group
of examples, the group counts once.

:source: Dziugaite and Roy (2017), "Computing nonvacuous generalization bounds for deep (stochastic)
    neural networks", Section 3; Langford and Caruana (2002), "(Not) bounding the true error";
    Hoeffding (1963), "Probability inequalities for sums of bounded random variables".
"""

import html
import math
from dataclasses import dataclass, field

import torch
from torch import Generator, Tensor, nn

from corollary.errors import InputError, InputTypeError
from corollary.theory.generalization.divergence import kl_inverse
from corollary.theory.generalization.pac_bayes import mcallester_bound
from corollary.train.pac_bayes.gibbs import GibbsError, gibbs_error
from corollary.train.pac_bayes.holdout import errors, holdout_bound
from corollary.train.pac_bayes.posterior import GaussianPosterior
from corollary.train.pac_bayes.priors import Pair, Prior, learned_prior, prior_means
from corollary.train.pac_bayes.recipe import pac_bayes_train
from corollary.train.preparation import modes_kept, seed_of

SHARE_OF_DRAWS = 0.2  # part of delta that the drawn weights may spend


@dataclass(frozen=True)
class Certificate:
    """The bound, and what it is made of."""

    bound: float  # what the error of the randomised network is at most
    delta: float  # probability that it is not
    n: int  # samples the bound counts
    error: float  # errors of the randomised network on them
    error_bound: float  # the same with the uncertainty of the draws
    draws: int  # independent draws
    kl: float  # nats between posterior and prior
    price: float  # nats for the choice of the prior's variance
    prior_variance: float
    mcallester: float  # the bound by McAllester's formula
    prior_bound: float | None  # exact bound of the prior's network, if the prior was learned
    test_error: float | None  # of the randomised network on test data
    test_bound: float | None  # exact bound of the network itself, from test data
    posterior: GaussianPosterior = field(repr=False, compare=False)

    @property
    def vacuous(self) -> bool:
        """Whether it says no more than what is known without it."""
        return self.bound >= 1

    def rows(self) -> list[tuple[str, str]]:
        """What a report shows, in words."""
        out = [
            ("upper bound on the error of the randomised network", f"{self.bound:.4f}"),
            ("probability that the bound holds", f"{1 - self.delta:g}"),
            ("number of samples n", f"{self.n}"),
            ("error on these samples", f"{self.error:.4f} (upper bound {self.error_bound:.4f})"),
            ("number of random draws of the weights", f"{self.draws}"),
            ("KL(Q‖P), nats", f"{self.kl:.1f}"),
            ("price of choosing the prior's variance, nats", f"{self.price:.1f}"),
            ("standard deviation of the prior", f"{self.prior_variance**0.5:.3g}"),
            ("upper bound by McAllester's formula", f"{self.mcallester:.4f}"),
        ]
        optional = [
            ("exact upper bound for the network of the prior, same samples", self.prior_bound),
            ("error on test data", self.test_error),
            ("exact upper bound for the network from test data", self.test_bound),
        ]
        return out + [(name, f"{value:.4f}") for name, value in optional if value is not None]

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {value}" for name, value in self.rows())

    def _repr_html_(self) -> str:
        cells = (f"<tr><td>{html.escape(k)}</td><td>{v}</td></tr>" for k, v in self.rows())
        return f"<table>{''.join(cells)}</table>"


def pac_bayes_certificate(
    model: nn.Module,
    data: Pair,
    *,
    prior: Prior = None,
    learn_prior: float = 0.0,
    delta: float = 0.05,
    test: Pair | None = None,
    steps: int = 1500,
    batch_size: int = 256,
    sigma: float = 0.1,
    draws: int | None = None,
    rng: int | Generator = 0,
    progress: bool = False,
) -> Certificate:
    r"""Bound the error of a randomised version of ``model`` from its training data.

    Three priors are valid, and no other: zero (the default), weights that were fixed before the
    data were seen (``prior``: the initialisation), and weights learned here on a part of the data
    (``learn_prior``) that the bound then does not count. Frozen weights and buffers are taken as
    fixed before the data; running statistics that were learned are refused.

    Args:
        model: Any module with a classification head, trained or not; it is left as it is.
        data: The training data: inputs, and class indices (or -1 and 1 for a single output).
        prior: The network before training, as a module or a dict of its parameters. BatchNorm
            statistics must be those of ``model``: they are no part of the posterior.
        learn_prior: Share of the data, from its start, on which the prior is trained, from
            ``prior``, which is needed then; the rows must be in random order.
        delta: Probability of failure, of which the drawn weights spend a fifth.
        test: Fresh data; adds the error there and the exact bound of ``model`` itself.
        steps: Updates of the posterior.
        batch_size: Samples of an update.
        sigma: Standard deviation of the weights at the start of the search.
        draws: Independent draws of weights; default 100,000, or 4,000 where examples share them.
        rng: Seed or generator.
        progress: Show a bar.

    Example:
        >>> x = torch.randn(500, 2, generator=torch.Generator().manual_seed(0))
        >>> y = (x[:, 0] > 0).long()
        >>> found = pac_bayes_certificate(nn.Linear(2, 2), (x, y), steps=100)
        >>> found.error < found.error_bound < found.bound < 1
        True
    """
    x, y = _checked(model, data)
    if not 0 < delta < 1:
        raise InputError(f"delta must lie between 0 and 1, got {delta:g}")
    seed = seed_of(rng)
    centre = prior_means(model, prior)
    start, prior_bound = model, None
    if learn_prior:
        start, (x, y) = learned_prior(model, centre, (x, y), learn_prior, steps, batch_size, seed)
        centre = dict(start.named_parameters())
        prior_bound = holdout_bound(int(errors(_outputs(start, x), y).sum()), len(x), delta)
        sigma = min(sigma, 0.01)  # the search starts near what was learned
    spent = SHARE_OF_DRAWS * delta
    posterior, _ = pac_bayes_train(
        start,
        (x, y),
        centre=centre,
        delta=delta - spent,
        steps=steps,
        batch_size=batch_size,
        sigma=sigma,
        rng=seed,
        progress=progress,
    )
    gibbs = gibbs_error(posterior, (x, y), draws=draws, seed=seed)
    test_error = test_bound = None
    if test is not None:
        xt, yt = _checked(model, test)
        test_error = gibbs_error(posterior, (xt, yt), draws=draws, seed=seed).error
        test_bound = holdout_bound(int(errors(_outputs(model, xt), yt).sum()), len(xt), delta)
    return _certificate(posterior, gibbs, len(x), delta, spent, prior_bound, test_error, test_bound)


def _certificate(
    posterior: GaussianPosterior,
    gibbs: GibbsError,
    n: int,
    delta: float,
    spent: float,
    prior_bound: float | None,
    test_error: float | None,
    test_bound: float | None,
) -> Certificate:
    kl, grid = posterior.on_grid()
    upper = gibbs.upper(spent)
    nats = kl + grid.price
    right = (nats + math.log(2 * math.sqrt(n) / (delta - spent))) / n
    return Certificate(
        bound=kl_inverse(upper, right),
        delta=delta,
        n=n,
        error=gibbs.error,
        error_bound=upper,
        draws=gibbs.draws,
        kl=kl,
        price=grid.price,
        prior_variance=grid.lam,
        mcallester=mcallester_bound(upper, nats, n, delta - spent),
        prior_bound=prior_bound,
        test_error=test_error,
        test_bound=test_bound,
        posterior=posterior,
    )


def _checked(model: nn.Module, data: Pair) -> Pair:
    if not isinstance(model, nn.Module):
        raise InputTypeError(f"expected a torch.nn.Module, got {type(model).__name__}")
    if not (isinstance(data, tuple | list) and len(data) == 2):
        raise InputTypeError(f"expected data to be a pair (x, y), got {type(data).__name__}")
    x, y = data
    if not (isinstance(x, Tensor) and isinstance(y, Tensor) and len(x) == len(y) > 1):
        raise InputTypeError("expected tensors (x, y) with one row per sample, at least two rows")
    return x, y


@torch.no_grad()
def _outputs(model: nn.Module, x: Tensor) -> Tensor:
    with modes_kept(model):
        model.eval()
        return torch.cat([model(part) for part in x.split(1000)])
