r"""A network whose weights are drawn from a normal law each time it is called.

:math:`Q=N(\theta,\mathrm{diag}(s))` over the trainable parameters of any module, beside the prior
:math:`P=N(\theta_0,\lambda I)`.

:source: Dziugaite and Roy (2017), "Computing nonvacuous generalization bounds for deep (stochastic)
    neural networks with many more parameters than training data".
"""

import copy
import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import InputError, NotApplicableError
from corollary.theory.generalization.gaussian_posterior import (
    GRID_FINENESS,
    GRID_TOP,
    GridVariance,
    grid_variance,
    kl_gaussian_posterior,
)
from corollary.train.noise import global_generators, keyed
from corollary.train.pac_bayes.drawing import Drawn, Watch
from corollary.train.pac_bayes.holdout import head, soft_error


class GaussianPosterior(nn.Module):
    r"""A copy of ``model`` with a variance for each trainable parameter.

    Calling it draws fresh weights: one set per row where all layers are dense (``independent`` is
    then True), else one set per call. The copy stays in evaluation mode, so that dropout is off and
    BatchNorm uses its statistics as they are.

    Args:
        model: The network whose weights are the means.
        x: A few inputs, to see how the parameters are used.
        centre: The means of the prior by parameter name, fixed without the data; zeros if left out.
        sigma: Standard deviation of all weights at the start.
        per_example: False draws one set of weights a call whatever the layers are.

    Example:
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
        >>> Q = GaussianPosterior(net, torch.randn(4, 2))
        >>> Q(torch.randn(5, 2)).shape, Q.independent, len(Q.log_s)
        (torch.Size([5, 2]), True, 4)
    """

    def __init__(
        self,
        model: nn.Module,
        x: Tensor,
        centre: Mapping[str, Tensor] | None = None,
        *,
        sigma: float = 0.1,
        per_example: bool = True,
    ) -> None:
        super().__init__()
        if not 0 < sigma < math.inf:
            raise InputError(f"sigma must be a positive number, got {sigma:g}")
        self.model = copy.deepcopy(model).eval()
        self._check_visible()
        theta = self._theta()
        self.log_s = nn.ParameterList(
            nn.Parameter(torch.full_like(p, 2 * math.log(sigma))) for p in theta.values()
        )
        for i, value in enumerate(self._centre(theta, centre)):
            self.register_buffer(f"centre_{i}", value)
        self.dense: set[str] = set()
        with torch.no_grad():
            watch = Watch(theta.values(), len(x))
            with watch:
                self.model(x)
            if per_example:
                found = watch.dense()
                self.dense = {name for name, p in theta.items() if id(p) in found}
            self._check_draws(x)

    @property
    def independent(self) -> bool:
        """Whether each row of a call has weights of its own."""
        return len(self.dense) == len(self.log_s)

    def forward(self, x: Tensor) -> Tensor:
        """Outputs with drawn weights."""
        with self._drawing(self._draw(self.dense)):
            output: Tensor = self.model(x)
        return output

    def smooth_error(self, x: Tensor, y: Tensor) -> Tensor:
        r"""An error with a slope: what is trained on.

        For one or two outputs of a dense last layer, the probability that the drawn margin is not
        positive, :math:`\Phi(-m/\sqrt v)`, given the layers before: its mean *is* the error of
        the randomised network. Else the probability of a wrong class under the softmax.
        """
        with self._drawing(self._draw(self.dense)) as drawn:
            output = self.model(x)
        if drawn.last is None or drawn.last[0] is not output or output.shape[1] > 2:
            return soft_error(output, y)
        _, mean, variance = drawn.last
        scores, labels = head(mean, y)
        if scores.dim() == 1:
            margin, spread = scores * labels, variance[:, 0].sqrt()
        else:
            margin = (scores[:, 1] - scores[:, 0]) * (2 * labels - 1)
            spread = variance.sum(dim=1).sqrt()
        wrong: Tensor = torch.special.ndtr(-margin / spread)
        return wrong.mean()

    def draw_once(self, x: Tensor) -> Tensor:
        """Outputs with one draw of all weights, shared by all rows."""
        with self._drawing(self._draw(set())):
            output: Tensor = self.model(x)
        return output

    def _draw(self, left_out: set[str]) -> dict[str, Tensor]:
        return {
            name: p + (log_s / 2).exp() * torch.randn_like(p)
            for (name, p), log_s in zip(self._theta().items(), self.log_s, strict=True)
            if name not in left_out
        }

    def divergence(self, lam: float | Tensor | None = None) -> Tensor:
        r""":math:`\mathrm{KL}(Q\|P)`; without ``lam`` for the best prior variance."""
        theta, s, theta0 = self._flat()
        if lam is None:
            lam = (s.sum() + (theta - theta0).square().sum()) / s.numel()
        return kl_gaussian_posterior(theta, s, theta0, lam)

    def price(self) -> Tensor:
        """Divergence at the best prior variance, and what its choice costs: for training."""
        theta, s, theta0 = self._flat()
        lam = (s.sum() + (theta - theta0).square().sum()) / s.numel()
        lam = lam.clamp(max=GRID_TOP * math.exp(-1 / GRID_FINENESS))
        j = GRID_FINENESS * (math.log(GRID_TOP) - lam.log())
        grid = 2 * j.log() + math.log(math.pi**2 / 6)
        return kl_gaussian_posterior(theta, s, theta0, lam) + grid

    @torch.no_grad()
    def on_grid(self) -> tuple[float, GridVariance]:
        """The divergence in double precision with the better of the two nearest grid variances."""
        theta, s, theta0 = (t.cpu().double() for t in self._flat())
        best = float((s.sum() + (theta - theta0).square().sum()) / s.numel())
        choices = [
            (float(kl_gaussian_posterior(theta, s, theta0, g.lam)), g) for g in grid_variance(best)
        ]
        return min(choices, key=lambda c: c[0] + c[1].price)

    def train(self, mode: bool = True) -> "GaussianPosterior":
        """As usual, except that the network itself stays in evaluation mode."""
        super().train(mode)
        self.model.eval()
        return self

    def _theta(self) -> dict[str, nn.Parameter]:
        return {k: p for k, p in self.model.named_parameters() if p.requires_grad}

    def _flat(self) -> tuple[Tensor, Tensor, Tensor]:
        theta = torch.cat([p.flatten() for p in self._theta().values()])
        log_s = torch.cat([p.flatten() for p in self.log_s])
        centres = [getattr(self, f"centre_{i}").flatten() for i in range(len(self.log_s))]
        return theta, log_s.exp(), torch.cat(centres)

    def _drawing(self, drawn: Mapping[str, Tensor]) -> Drawn:
        theta = self._theta()
        whole = {id(theta[name]): value for name, value in drawn.items()}
        variances = {
            id(p): log_s.exp()
            for (name, p), log_s in zip(theta.items(), self.log_s, strict=True)
            if name in self.dense and name not in drawn
        }
        return Drawn(whole, variances)

    def _centre(
        self, theta: dict[str, nn.Parameter], centre: Mapping[str, Tensor] | None
    ) -> list[Tensor]:
        if centre is None:
            return [torch.zeros_like(p) for p in theta.values()]
        missing = [k for k, p in theta.items() if k not in centre or centre[k].shape != p.shape]
        if missing:
            raise InputError(
                f"the prior needs a value for each trainable parameter, but '{missing[0]}' is "
                "missing or has another shape"
            )
        return [centre[k].detach().clone().to(p) for k, p in theta.items()]

    def _check_visible(self) -> None:
        if any(isinstance(m, torch.jit.ScriptModule) for m in self.model.modules()):
            raise NotApplicableError(
                "weights cannot be drawn inside a scripted module; pass the original module"
            )
        if not self._theta():
            raise InputError(f"{type(self.model).__name__} has no trainable parameters")

    def _check_draws(self, x: Tensor) -> None:
        """Draws seen through the functions of torch must act as weights that were changed."""
        theta = self._theta()
        with keyed(global_generators([p.device for p in theta.values()]), 0, "posterior"):
            drawn = {k: p + p.abs().mean() * torch.randn_like(p) for k, p in theta.items()}
        with self._drawing(drawn):
            seen = self.model(x)
        twin = copy.deepcopy(self.model)
        for name, p in twin.named_parameters():
            if name in drawn:
                p.data.copy_(drawn[name])
        if not _close(seen, twin(x)):
            raise NotApplicableError(
                f"weights cannot be drawn inside {type(self.model).__name__}, because it uses "
                "parameters outside of torch functions"
            )


def _close(a: Any, b: Any) -> bool:
    if not (isinstance(a, Tensor) and isinstance(b, Tensor) and a.shape == b.shape):
        raise NotApplicableError("a classifier must return one tensor of outputs; wrap the module")
    size = float(b.abs().max()) if b.numel() else 1.0
    return bool((a - b).abs().max() <= 1e-4 * max(size, 1e-6))
