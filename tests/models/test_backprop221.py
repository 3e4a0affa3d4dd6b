import math

import pytest
import torch

from corollary.errors import InputError
from corollary.models.backprop221 import Backprop221

NET = Backprop221(w11=0.3, w21=-0.7, w12=1.1, w22=0.4, w31=-0.9, w32=0.6)
POINT = {"x1": 0.8, "x2": -1.3, "y": 1.0}


def test_all_six_gradients_are_those_of_autograd():
    w = {k: torch.tensor(v, dtype=torch.float64, requires_grad=True) for k, v in vars(NET).items()}
    h1 = torch.sigmoid(w["w11"] * 0.8 + w["w21"] * -1.3)
    h2 = torch.sigmoid(w["w12"] * 0.8 + w["w22"] * -1.3)
    (0.5 * (1 - torch.sigmoid(w["w31"] * h1 + w["w32"] * h2)) ** 2).backward()
    found = NET.gradients(**POINT)
    assert found == {k: pytest.approx(v.grad.item(), abs=1e-12) for k, v in w.items()}


def test_the_trace_names_every_quantity_of_both_passes():
    steps = NET.trace(**POINT)
    assert list(steps)[:7] == ["net_h1", "net_h2", "h1", "h2", "net_o", "y_hat", "L"]
    assert steps["dL/dh1"] == pytest.approx(steps["dL/dnet_o"] * NET.w31)
    assert steps["L"] == pytest.approx(0.5 * (1 - steps["y_hat"]) ** 2)


def test_the_loss_falls_over_the_epochs():
    net, losses = NET, []
    for _ in range(200):
        losses.append(net.trace(**POINT)["L"])
        net = net.gd_step(**POINT, eta=0.5)
    assert all(b < a for a, b in zip(losses, losses[1:], strict=False))
    assert losses[-1] < 0.1 * losses[0]


def test_large_weights_do_not_overflow_and_bad_ones_are_refused():
    steps = Backprop221(w11=-1e4, w31=1e4).trace(1.0, 1.0, 0.0)
    assert steps["h1"] == 0 and math.isfinite(steps["L"])
    with pytest.raises(InputError, match="w21 must be finite"):
        Backprop221(w21=math.nan)
    with pytest.raises(InputError, match="positive"):
        NET.gd_step(**POINT, eta=0.0)
