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
:cost: instant
:covers: early-stopping-rule
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.functional import mse_loss

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.train import EarlyStopping, History, fit


class Given(NamedTuple):
    """Few noisy training points, validation points, and whether the best is restored."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n 1"]
    x_new: Float[Tensor, "m d"]
    y_new: Float[Tensor, "m 1"]
    restore: bool


@dataclass(frozen=True)
class Patience(Claim[Given]):
    """Stopping epoch, best epoch, and the error of the model that comes back."""

    n: int = option(20, low=4, high=100)  # training points
    d: int = option(18, low=2, high=100)  # features
    noise: float = option(1.0, low=0.1, high=5.0)  # standard deviation of the noise
    p: int = option(5, low=1, high=50)  # patience
    relation = equals(ulps=2**6)  # the same sums in the same order

    def given(self, rng: Generator) -> Given:
        """As many features as points, almost: a long run overfits."""
        x = torch.randn(self.n + 200, self.d, generator=rng, dtype=torch.float64)
        w = torch.randn(self.d, 1, generator=rng, dtype=torch.float64) / self.d**0.5
        y = x @ w + self.noise * torch.randn(len(x), 1, generator=rng, dtype=torch.float64)
        return Given(x[: self.n], y[: self.n], x[self.n :], y[self.n :], True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The second half of the rule."""
        yield Hypothesis("the best parameters are returned", given.restore)

    def predict(self, given: Given) -> list[float]:
        """From the whole curve of a run that is not stopped."""
        curve = self._run(given)[0]["validation"]
        best = 0
        for t, value in enumerate(curve):
            if value < curve[best]:
                best = t
            if t - best == self.p:
                break
        return [float(t + 1), float(best + 1), curve[best]]

    def measure(self, given: Given) -> list[float]:
        """From a run with the callback."""
        stop = EarlyStopping(
            (given.x_new, given.y_new), patience=self.p, restore_best=given.restore
        )
        history, model = self._run(given, stop)
        with torch.no_grad():
            error = float(mse_loss(model(given.x_new), given.y_new))
        return [float(history.epochs), float(stop.best_epoch), error]

    def counterexample(self, rng: Generator) -> Given:
        """The last parameters instead of the best."""
        return self.given(rng)._replace(restore=False)

    def figure(self, given: Given) -> Figure:
        """Both errors of the run that is not stopped, and the two epochs of the rule."""
        history = self._run(given)[0]
        stop, best, error = self.predict(given)
        shown = min(len(history), int(4 * stop))
        epochs = range(1, shown + 1)
        return Figure(
            "Early stopping",
            x="epoch",
            y="mean squared error",
            marks=(
                Curve(history["validation"][:shown], epochs, label="validation"),
                Curve(history["loss"][:shown], epochs, label="training", role="other"),
                Level(best, label="best", axis="x"),
                Level(stop, label="stop", role="other", axis="x"),
                Level(error, label="error of the returned model"),
            ),
        )

    def _run(self, given: Given, stop: EarlyStopping | None = None) -> tuple[History, nn.Module]:
        model = nn.Linear(self.d, 1, bias=False).double()
        nn.init.zeros_(model.weight)
        # Without a callback the validation error is only noted: patience beyond the run's end.
        data = (given.x_new, given.y_new)
        watch = stop or EarlyStopping(data, patience=10_000, restore_best=False)

        def sgd(parameters: object) -> torch.optim.Optimizer:
            return torch.optim.SGD(parameters, lr=0.05)

        history = fit(
            model, (given.x, given.y), mse_loss, sgd, epochs=60 + self.p, callbacks=[watch]
        )
        return history, model
