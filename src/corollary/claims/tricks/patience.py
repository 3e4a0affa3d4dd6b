r"""Early stopping with patience.

After each epoch the validation error is measured; when it has not fallen for p checks the run ends,
and the parameters of the best check are returned. So the run ends p epochs after the first epoch
that no later one within p beats, and the model that comes back has the lowest error seen:

.. math:: t_{\mathrm{best}}=\min\{t:v_s\ge v_t\text{ for }t<s\le t+p\},\qquad
   t_{\mathrm{stop}}=t_{\mathrm{best}}+p .

(t counts epochs at which the error was the lowest so far.)

:source: Perez Jensen (2025), Deep Learning, Section 8.3; Lucchi (2025), Foundations of Deep
    Learning, Chapter 11, Exercise 2; Prechelt (1998), "Early stopping - but when?".
:kind: algorithm
:covers: early-stopping-rule
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.functional import mse_loss

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.train import EarlyStopping, History, fit


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # few training points
    y: Float[Tensor, "n 1"]  # with noise
    new: tuple[Tensor, Tensor]  # validation points
    rule: EarlyStopping  # that ends the run


def best_returned(self: "Patience", given: Given) -> tuple[bool, str]:
    """Whether the model after the run has the lowest error that was seen."""
    history, model = _run(self, given, given.rule)
    error, best = _error(model, given), min(history["validation"])
    return abs(error - best) <= 1e-12 * best, f"error {error:.4g}, lowest {best:.4g}"


class Patience(Claim[Given]):
    n: int = option(20, low=4, high=100)  # training points
    d: int = option(18, low=2, high=100)  # features
    noise: float = option(1.0, low=0.1, high=5.0)  # standard deviation of the noise
    p: int = option(5, low=1, high=50)  # patience

    relation = equals(ulps=2**6)  # the same sums in the same order
    supposes = Suppose(
        "the best parameters are returned",
        best_returned,
        "The last parameters are returned, and their error is higher.",
        rule=lambda g: EarlyStopping(g.new, patience=g.rule.patience, restore_best=False),
    )
    symbols = "from the whole curve", "from the run with the rule"
    rows = "last epoch", "best epoch", "error of the returned model"

    def given(self, rng: Generator) -> Given:
        x, w = normal(rng, self.n + 200, self.d), normal(rng, self.d, 1) / self.d**0.5
        y = x @ w + self.noise * normal(rng, len(x), 1)
        new = x[self.n :], y[self.n :]
        return Given(x[: self.n], y[: self.n], new, EarlyStopping(new, patience=self.p))

    def predict(self, given: Given) -> Tensor:
        curve, best = _run(self, given, _endless(given))[0]["validation"], 0
        for t, value in enumerate(curve):
            if value < curve[best]:
                best = t
            if t - best == self.p:
                break
        return torch.tensor([t + 1, best + 1, curve[best]], dtype=torch.float64)

    def measure(self, given: Given) -> Kept:
        history, model = _run(self, given, given.rule)
        error = _error(model, given)
        whole = _run(self, given, _endless(given))[0]
        return Kept([float(history.epochs), float(given.rule.best_epoch), error], whole=whole)

    @picture("Early stopping", x="epoch", y="mean squared error")
    def marks(self, trial: Trial[Given]) -> Marks:
        (stop, best, error), whole = trial.predicted.tolist(), trial.kept.whole
        shown = min(len(whole), int(4 * stop))
        epochs = range(1, shown + 1)
        yield Curve(whole["validation"][:shown], epochs, label="validation")
        yield Curve(whole["loss"][:shown], epochs, label="training", role="other")
        yield Level(best, label="best", axis="x")
        yield Level(stop, label="stop", role="other", axis="x")
        yield Level(error, label="error of the returned model")


@torch.no_grad()
def _error(model: nn.Module, given: Given) -> float:
    return float(mse_loss(model(given.new[0]), given.new[1]))


def _endless(given: Given) -> EarlyStopping:
    """A rule that only notes the validation error: its patience is beyond the run's end."""
    return EarlyStopping(given.new, patience=10_000, restore_best=False)


def _run(claim: Patience, given: Given, rule: EarlyStopping) -> tuple[History, nn.Module]:
    model = nn.Linear(claim.d, 1, bias=False).double()
    nn.init.zeros_(model.weight)
    sgd = torch.optim.SGD(model.parameters(), lr=0.05)
    data = given.x, given.y
    return fit(model, data, mse_loss, sgd, epochs=60 + claim.p, callbacks=[rule]), model.eval()
