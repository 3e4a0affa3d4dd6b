import torch
from torch import nn

from corollary.core import Severity
from corollary.examination import examine


def network(width):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, width), nn.ReLU(), nn.Linear(width, 1))


def data():
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(48, 5, generator=generator)
    return x, torch.sin(x.sum(1, keepdim=True))


def only(name, model, **about):
    (finding, *_) = examine(model, data(), only=name, budget=60, **about).findings
    return finding


def test_the_linearised_curve_of_a_wide_network_stays_within_its_stated_error():
    for width in (256, 1024):
        finding = only("linearised_curve", network(width))
        assert finding.value.value <= finding.details["stated_error"] + 1e-6
        assert finding.value.value < 0.05


def test_wider_networks_are_closer_to_their_linearisation():
    narrow, wide = (only("linearised_curve", network(m)).value.value for m in (16, 1024))
    assert wide < narrow / 4


def test_a_wide_network_is_lazy_and_a_narrow_one_is_not():
    assert "lazy" in only("regime", network(2048)).title
    small = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    assert "lazy" not in only("regime", small).title


def test_a_healthy_network_is_not_blamed():
    done = examine(network(64), data(), only="learning", budget=60)
    assert done.worst() is Severity.NONE
