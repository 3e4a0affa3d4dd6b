"""A small network on points of the plane, trained a step at a time, with the theory beside it."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import generator
from corollary.errors import InputError, NotFiniteError
from corollary.lab.settings import PlaySettings
from corollary.lab.work.advice import OVERFLOW, advice
from corollary.lab.work.health import Health, dead_units
from corollary.lab.work.losses import constant_loss, logistic, squared
from corollary.lab.work.pictures import TILE, in_bytes, on_own_scale, square, units
from corollary.lab.work.plane_inputs import lifted
from corollary.lab.work.plane_regions import plane_regions
from corollary.lab.work.point_sets import cloud
from corollary.lab.work.weights import all_weights, shrink_, weight_at
from corollary.models.init import normal_
from corollary.theory.kernels.empirical import empirical_ntk
from corollary.theory.kernels.empirical.measures import regime
from corollary.theory.landscape.curvature import Landscape, largest_stable_step

GRID = 64  # cells a side of the decision picture
PROBE = 48  # points of the tangent kernel
LISTED = 100  # weights set by hand; of more none is listed
BETA = 0.9  # momentum
ACTIVATION: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "leaky relu": partial(nn.LeakyReLU, 0.1),
    "tanh": nn.Tanh,
    "sigmoid": nn.Sigmoid,
    "gelu": nn.GELU,
    "linear": nn.Identity,
}


def network(settings: PlaySettings) -> nn.Sequential:
    """Linear layers with weights of variance 2/fan-in for rectifiers, else 1/fan-in."""
    rng = generator(settings.seed, "playground", "weights")
    widths = [len(settings.features), *settings.hidden, 1]
    gain = 2.0 if settings.activation in ("relu", "leaky relu", "gelu") else 1.0
    layers: list[nn.Module] = []
    for fan_in, fan_out in zip(widths, widths[1:], strict=False):
        layer = nn.Linear(fan_in, fan_out, dtype=torch.float64)
        last = len(layers) == 2 * len(settings.hidden)
        normal_(layer.weight, math.sqrt((1.0 if last else gain) / fan_in), rng=rng)
        nn.init.zeros_(layer.bias)
        layers += [layer] if last else [layer, ACTIVATION[settings.activation]()]
    return nn.Sequential(*layers)


class Playground:
    """One training run: a pure function of its settings, of what is set by hand, and of steps."""

    def __init__(self, settings: PlaySettings) -> None:
        self.settings, self.steps = settings, 0
        draw = partial(cloud, settings.data, noise=settings.noise)
        self.x, self.y = draw(settings.n, rng=generator(settings.seed, "playground", "train"))
        self.test_x, self.test_y = draw(400, rng=generator(settings.seed, "playground", "test"))
        self.reach = 1.1 * float(torch.cat([self.x, self.test_x]).abs().max())
        lift = partial(lifted, names=settings.features)
        self.inputs, self.test_inputs = lift(self.x), lift(self.test_x)
        self.grid = lift(square(self.reach, GRID))
        self.tile = lift(square(self.reach, TILE))
        self.model = network(settings)
        self.edits: list[tuple[int, int, int, int | None, float]] = []
        self.logistic = settings.loss == "logistic" and not settings.regression
        self.loss = logistic if self.logistic else squared
        self.optimizer = self._optimizer()
        self.order = generator(settings.seed, "playground", "batches")
        self.probe = self.inputs[:PROBE]
        self.first_kernel = empirical_ntk(self.model, self.probe)
        self.first_loss = self.row()["loss"]

    def _optimizer(self) -> torch.optim.Optimizer:
        make: dict[str, Any] = {
            "gradient descent": torch.optim.SGD,
            "momentum": partial(torch.optim.SGD, momentum=BETA),
            "adam": torch.optim.Adam,
        }
        made: torch.optim.Optimizer = make[self.settings.optimizer](
            self.model.parameters(), lr=self.settings.lr
        )
        return made

    def set_lr(self, settings: PlaySettings) -> None:
        """Go on with another learning rate."""
        self.settings = settings
        for group in self.optimizer.param_groups:
            group["lr"] = settings.lr

    def set_weight(self, layer: int, unit: int, source: int | None, value: float) -> None:
        """Set one weight by hand; all are counted from 0, and the source ``None`` is the bias.

        Raises:
            InputError: where the network has no such weight.
        """
        parameter, at = weight_at(self.model, layer, unit, source)
        with torch.no_grad():
            parameter[at] = value
        edit = (self.steps, layer, unit, source, value)
        if self.edits and self.edits[-1][:4] == edit[:4]:  # a slider on its way
            self.edits.pop()
        self.edits.append(edit)

    @property
    def finite(self) -> bool:
        """Whether all weights are numbers still."""
        return all(bool(p.isfinite().all()) for p in self.model.parameters())

    def objective(self, output: Tensor, y: Tensor) -> Tensor:
        """What is minimised, but for the L1 penalty, which has no curvature.

        The loss, and l2/2 times the squares of all weights but biases.
        """
        loss, l2 = self.loss(output, y), self.settings.l2
        if l2 == 0:
            return loss
        return loss + 0.5 * l2 * sum(w.square().sum() for w in all_weights(self.model))

    def step(self) -> None:
        """One update; with an L1 penalty the step is proximal, except with Adam."""
        x, y, batch, l1 = self.inputs, self.y, self.settings.batch, self.settings.l1
        if 0 < batch < len(x):
            rows = torch.randint(len(x), (batch,), generator=self.order)
            x, y = x[rows], y[rows]
        self.optimizer.zero_grad()
        minimised = self.objective(self.model(x), y)
        if l1 > 0 and self.settings.optimizer == "adam":
            minimised = minimised + l1 * sum(w.abs().sum() for w in all_weights(self.model))
        minimised.backward()
        if l1 > 0 and self.settings.optimizer != "adam":
            before = [w.detach().clone() for w in all_weights(self.model)]
            self.optimizer.step()
            shrink_(self.optimizer, list(all_weights(self.model)), before, l1)
        else:
            self.optimizer.step()
        self.steps += 1

    @torch.no_grad()
    def row(self) -> dict[str, Any]:
        """Losses now."""
        train, test = self.model(self.inputs), self.model(self.test_inputs)
        return {
            "step": self.steps,
            "loss": number(float(self.loss(train, self.y))),
            "test": number(float(self.loss(test, self.test_y))),
        }

    @torch.no_grad()
    def frame(self) -> dict[str, Any]:
        """The output as a picture, one byte per cell (128 is zero), and the error."""
        out = self.model(self.grid)[:, 0].nan_to_num()
        share = torch.tanh(out / 2) if self.logistic else out.clamp(-1, 1)
        share = share.sign() * share.abs().clamp(min=1 / 127)  # no sign is rounded away
        return {
            "step": self.steps,
            "errors": [self._off(self.inputs, self.y), self._off(self.test_inputs, self.test_y)],
            "grid": in_bytes(share),
            "side": GRID,
            "layers": units(self.model, self.tile),
            "tile": TILE,
            "zeros": sum(int((w == 0).sum()) for w in all_weights(self.model)),
        }

    def by_hand(self) -> dict[str, Any]:
        """What was set by hand so far, unless it is too much to tell."""
        return {
            "edited": len(self.edits),
            "edits": self.edits if len(self.edits) <= LISTED else [],
        }

    def _off(self, x: Tensor, y: Tensor) -> float | None:
        """The share of wrong labels; for heights the root of the mean squared error."""
        out = self.model(x)[:, 0]
        if self.settings.regression:
            return number(math.sqrt(float(((out - y) ** 2).mean())))
        return float((out * y <= 0).double().mean())

    def points(self) -> dict[str, Any]:
        """The data, once per run."""
        return {
            "reach": self.reach,
            "train": [[round(v, 3) for v in p] for p in self.x.tolist()],
            "test": [[round(v, 3) for v in p] for p in self.test_x.tolist()],
            "train_labels": [round(v, 3) for v in self.y.tolist()],
            "test_labels": [round(v, 3) for v in self.test_y.tolist()],
            "regression": self.settings.regression,
            "features": list(self.settings.features),
            "feature_grid": in_bytes(on_own_scale(self.tile.T)),
            "parameters": sum(p.numel() for p in self.model.parameters()),
        }

    def theory(self) -> dict[str, Any]:
        """Curvature against the learning rate, the turn of the tangent kernel, linear regions."""
        try:
            return {"step": self.steps, **self._theory()}
        except ArithmeticError:  # weights may be finite, and what is made of them not
            return {"step": self.steps, "advice": {"severity": "high", "text": OVERFLOW}}

    def _theory(self) -> dict[str, Any]:
        if not self.finite:
            raise NotFiniteError("the weights are not finite")
        momentum = BETA if self.settings.optimizer == "momentum" else 0.0
        edge = 2 * (1 + momentum) / self.settings.lr  # of the sharpness, for this learning rate
        landscape = Landscape(self.model, self.objective, (self.inputs, self.y))
        rng = generator(self.settings.seed, "playground", "lanczos", self.steps)
        found = largest_stable_step(landscape, momentum=momentum, rtol=0.1, rng=rng)
        return {
            "sharpness": number(found.lambda_max.value),
            "limit": number(found.step.value),
            "edge": None if self.settings.optimizer == "adam" else number(edge),
            "advice": advice(self.settings, found.step, self._health()),
            **self._kernel(),
            **plane_regions(self.model, self.settings, self.reach),
        }

    @torch.no_grad()
    def _health(self) -> Health:
        return Health(
            self.steps,
            float(self.loss(self.model(self.inputs), self.y)),
            self.first_loss,
            constant_loss(self.y, logistic=self.logistic),
            dead_units(self.model, self.inputs),
        )

    def _kernel(self) -> dict[str, Any]:
        try:
            found = regime(self.first_kernel, empirical_ntk(self.model, self.probe), self.y[:PROBE])
        except InputError:  # a network whose units are all dead has no kernel
            return {"turn": None, "regime": "", "alignment": None}
        return {
            "turn": number(max(0.0, found.turn)),
            "regime": found.name,
            "alignment": number(found.alignment_after),
        }


def number(value: float) -> float | None:
    """A number as JSON has it; None for what is not one."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
