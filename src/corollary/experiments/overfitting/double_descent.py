r"""Double descent on handwritten digits, in the number of features and in the number of digits.

Random Fourier features :math:`\cos(\langle v_k, x\rangle)`, :math:`\sin(\langle v_k, x\rangle)`
with normal :math:`v_k` of standard deviation 1/5 (pixels from 0 to 1) are fitted to the ten classes
by the least-squares solution of smallest norm. Theory puts the peak of the test error where there
are as many features as digits. One row varies the features, the other the digits: the second peak
means that more data are worse. The value is the number of features at the peak, divided by the
number of digits.

:source: Belkin, Hsu, Ma and Mandal (2019), "Reconciling modern machine-learning practice and the
    classical bias-variance trade-off", Figure 2 (random Fourier features on MNIST, peak where the
    number of features is the number of samples); Nakkiran (2019), "More data can hurt for linear
    regression: sample-wise double descent".
:cost: seconds
"""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import one_hot

from corollary.core import Curve, Experiment, Figure, Level, Outcome, Published, Row
from corollary.data.real import mnist

BELKIN = "Belkin, Hsu, Ma and Mandal (2019), Figure 2"
NAKKIRAN = "Nakkiran (2019), More data can hurt for linear regression, Theorem 1"
SCALE = 0.2  # standard deviation of the frequencies, for pixels from 0 to 1
FEWER = "the paper uses 10,000 digits"
SHARES = (0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.94, 0.97, 1, 1.03, 1.06, 1.1, 1.2, 1.4, 2, 4, 8)


class DigitDescent(Experiment):
    varied: Literal["features", "digits"] = "features"  # which number changes
    fixed: int = 1000  # the other number
    tests: int = 2000  # digits that test

    metric = "features per digit at the peak of the test error"
    better = "equal"
    rows = (
        Row("Peak in the features, MNIST", Published(1.0, BELKIN, differs=FEWER)),
        Row(
            "Peak in the digits, MNIST",
            Published(1.0, NAKKIRAN, differs="the theorem is on Gaussian data"),
            varied="digits",
        ),
    )
    quick = {"fixed": 100, "tests": 200}

    def run(self, seed: int) -> Outcome:
        rng = torch.Generator().manual_seed(seed)
        (x, y), (x_test, y_test) = mnist("train"), mnist("test")
        order = torch.randperm(len(x), generator=rng)
        x, y = x[order].flatten(1).double(), y[order]
        x_test, y_test = x_test[: self.tests].flatten(1).double(), y_test[: self.tests]
        sizes = [round(share * self.fixed / 2) * 2 for share in SHARES]
        test, train = [], []
        for size in sizes:
            digits, features = self.fixed, size
            if self.varied == "digits":
                digits, features = features, digits
            v = SCALE * torch.randn(784, features // 2, generator=rng, dtype=torch.float64)
            z, z_test = fourier(x[:digits], v), fourier(x_test, v)
            a = torch.linalg.pinv(z, rtol=1e-12) @ targets(y[:digits])
            test.append(float((z_test @ a - targets(y_test)).square().sum(1).mean()))
            train.append(float((z @ a - targets(y[:digits])).square().sum(1).mean()))
        ratios = [s / self.fixed if self.varied == "features" else self.fixed / s for s in sizes]
        peak = test.index(max(test))
        numbers = {
            "test error at the peak": test[peak],
            "at the most features per digit": test[ratios.index(max(ratios))],
            "at the fewest": test[ratios.index(min(ratios))],
        }
        figure = Figure(
            "Squared error on ten classes",
            x="features per digit",
            y="squared error",
            log_x=True,
            log_y=True,
            marks=(
                Curve(test, x=ratios, label="test"),
                Curve([max(t, 1e-6) for t in train], x=ratios, label="training", role="other"),
                Level(1.0, label="as many features as digits", axis="x"),
            ),
        )
        return Outcome(ratios[peak], (figure,), numbers=numbers)


def fourier(x: Float[Tensor, "n d"], v: Float[Tensor, "d k"]) -> Float[Tensor, "n p"]:
    """Cosines and sines of the products of inputs and frequencies."""
    phase = x @ v
    waves = torch.cat([phase.cos(), phase.sin()], dim=1)
    return waves.div(v.shape[1] ** 0.5)


def targets(y: Int[Tensor, " n"]) -> Float[Tensor, "n 10"]:
    """One-hot rows, centred."""
    rows: Tensor = one_hot(y, 10).double() - 0.1
    return rows
