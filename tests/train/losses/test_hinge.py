import pytest
import torch

from corollary.errors import InputError
from corollary.train.losses import hinge


def at(o, power, margin=0.5):
    """Value and its first two derivatives for one output with label +1."""
    o = torch.tensor([[o]], dtype=torch.float64, requires_grad=True)
    value = hinge(o, torch.ones(1, 1, dtype=torch.float64), power=power, margin=margin)
    (first,) = torch.autograd.grad(value, o, create_graph=True)
    second = torch.autograd.grad(first, o)[0].item() if first.requires_grad else 0.0
    return value.item(), first.item(), second


@pytest.mark.parametrize("power", [1, 2, 3])
def test_it_is_zero_beyond_the_margin_and_only_there(power):
    assert at(0.5, power)[0] == at(3.0, power)[0] == 0
    assert at(0.4, power)[0] == pytest.approx(0.1**power)
    assert at(-1.0, power)[0] == pytest.approx(1.5**power)


def test_each_power_is_smoother_at_the_margin_than_the_last():
    h = 1e-9

    def jumps(power):
        left, right = at(0.5 - h, power), at(0.5 + h, power)
        return [abs(a - b) for a, b in zip(left, right, strict=True)]

    assert jumps(1)[1] == 1  # the slope jumps
    assert jumps(2)[1] < 1e-8 and jumps(2)[2] == 2  # the curvature jumps
    assert jumps(3)[1] < 1e-8 and jumps(3)[2] < 1e-7


def test_class_numbers_become_signs():
    o = torch.tensor([[0.2, -0.1, 0.7]])
    by_hand = (0.5 - 0.2) + (0.5 - 0.1) + (0.5 + 0.7)
    assert hinge(o, torch.tensor([0])).item() == pytest.approx(by_hand)


def test_one_output_with_margin_one_is_the_hinge_loss_of_sklearn():
    from sklearn.metrics import hinge_loss

    o = torch.linspace(-2, 2, 11, dtype=torch.float64)
    y = torch.where(torch.arange(11) % 3 == 0, 1.0, -1.0).double()
    ours = hinge(o[:, None], y[:, None], margin=1.0).item()
    assert ours == pytest.approx(hinge_loss(y.numpy(), o.numpy()))


def test_other_labels_powers_and_margins_are_refused():
    o = torch.zeros(1, 2)
    with pytest.raises(InputError, match="labels -1 or [+]1, got 0"):
        hinge(o, torch.tensor([[0.0, 1.0]]))
    with pytest.raises(InputError, match="1, 2 or 3, got 4"):
        hinge(o, torch.tensor([0]), power=4)
    with pytest.raises(InputError, match="positive, got 0"):
        hinge(o, torch.tensor([0]), margin=0)
