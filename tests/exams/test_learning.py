import torch
from torch import nn

from corollary.core import Severity, Status
from corollary.examine.examiner import examine
from corollary.exams.demo import build as demo
from corollary.exams.learning import linearised_curve
from corollary.kernels import ntk


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
        assert finding.details["gap"] <= finding.details["stated_error"] + 1e-6
        assert finding.details["gap"] < 0.05


def test_wider_networks_are_closer_to_their_linearisation():
    narrow, wide = (only("linearised_curve", network(m)).details["gap"] for m in (16, 1024))
    assert wide < narrow / 4


def test_a_wide_network_is_lazy_and_a_narrow_one_is_not():
    assert "lazily" in only("regime", network(2048)).title
    small = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    assert only("regime", small).title == "The network learns features"


def test_a_healthy_network_is_not_blamed():
    done = examine(network(64), data(), only="learning", budget=60)
    assert done.worst() is Severity.NONE


def test_a_curve_that_predicts_nothing_is_not_shown_but_explained(monkeypatch):
    (finding,) = examine(*demo(), only="linearised_curve").findings  # its inputs are wild
    assert finding.status is Status.NOT_APPLICABLE and not finding.figures
    assert (
        "the values of input 0" in finding.meaning and "standardise these values" in finding.meaning
    )
    monkeypatch.setattr(linearised_curve, "VACUOUS", 1e-4)
    finding = only("linearised_curve", network(16))
    assert finding.status is Status.NOT_APPLICABLE and "make the network wider" in finding.meaning


def test_a_mean_that_all_samples_share_does_not_hide_how_features_move():
    (finding, *_) = examine(*demo(), only="regime").findings  # all samples lie far from zero
    assert finding.title == "The network learns features"


class Tied(nn.Module):
    """A language model with an output at every position, called by name."""

    def __init__(self, own_loss):
        super().__init__()
        self.table, self.own_loss = nn.Embedding(11, 8), own_loss

    def forward(self, ids, labels=None):
        logits = self.table(ids) @ self.table.weight.T
        if not self.own_loss:
            return logits
        return {"loss": logits.logsumexp(-1).mean(), "logits": logits}


def test_outputs_at_every_position_and_inputs_by_name_are_trained_too():
    torch.manual_seed(0)
    ids = torch.randint(11, (16, 6))
    named = examine(Tied(False), {"ids": ids[:, :-1], "y": ids[:, 1:]}, only="learning", budget=60)
    assert all(f.status is Status.DONE for f in named.findings)
    own = examine(Tied(True), {"ids": ids, "labels": ids.roll(1, 1)}, only="learning", budget=60)
    refused = [f for f in own.findings if f.status is not Status.DONE]
    assert len(refused) == 1 and "computes its loss itself" in refused[0].meaning


def test_layers_under_no_grad_count_as_constants():
    class Half(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 1)

        def forward(self, x):
            with torch.no_grad():
                h = torch.tanh(self.body(x))
            return self.head(h)

    x = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
    net = Half()
    found = examine(net, (x, x[:, :1]), only="learning/kernel_rank", effort="quick")
    assert all(f.status is not Status.FAILED for f in found.findings), found.findings
    h = torch.tanh(net.body(x[:8])).detach()
    assert torch.allclose(ntk(nn.Sequential(net), x[:8]), h @ h.T + 1, atol=1e-5)
