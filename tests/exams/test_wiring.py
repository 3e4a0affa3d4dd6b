"""Output, loss, targets, batch and optimizer fit together, or it is said what does not."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import Evidence, Severity
from corollary.examine.examiner import examine

X, Y = torch.randn(64, 6), torch.arange(64) % 3
NUMBERS = X[:, :1] * 2 - 1
LABELS = (torch.rand(64, 3) > 0.3).float()


def only(exam, model, data=(X, Y), **about):
    return examine(model, data, only=exam, **about).findings


def loud(findings):
    return [f.title for f in findings if f.severity.rank >= Severity.MEDIUM.rank]


class Calls(nn.Module):
    def __init__(self, rule, **children):
        super().__init__()
        self.rule = rule
        for name, child in children.items():
            setattr(self, name, child)

    def forward(self, x):
        return self.rule(self, x)


def ended(rule, out=3):
    return Calls(lambda m, x: rule(m.fc(x)), fc=nn.Linear(6, out))


HEADS = {
    "Softmax over one unit": (ended(lambda h: h.softmax(-1), 1), (X, NUMBERS), {"loss": "mse"}),
    "Targets outside the range of the output": (ended(F.relu, 1), (X, NUMBERS), {"loss": "mse"}),
    "The negative log-likelihood receives no log-probabilities": (
        ended(lambda h: h),
        (X, Y),
        {"loss": F.nll_loss},
    ),
    "The logistic loss receives targets outside 0 to 1": (
        ended(lambda h: h, 1),
        (X, X[:, :1].sign()),
        {"loss": F.binary_cross_entropy_with_logits},
    ),
}


@pytest.mark.parametrize("title", HEADS)
def test_a_head_that_does_not_fit_is_named(title):
    model, data, about = HEADS[title]
    assert title in loud(only("soundness/head_and_loss", model, data, **about))


def test_several_labels_are_not_for_a_softmax():
    found = only(
        "soundness/loss_and_targets", ended(lambda h: h), (X, LABELS), loss=F.cross_entropy
    )
    assert loud(found) == ["Several labels per sample, but the softmax allows one"]


@pytest.mark.parametrize(
    ("rule", "out", "data", "loss"),
    [
        (lambda h: h, 3, (X, Y), "cross_entropy"),
        (lambda h: h, 1, (X, NUMBERS), "mse"),
        (lambda h: h.log_softmax(-1), 3, (X, Y), F.nll_loss),
        (torch.sigmoid, 1, (X, (NUMBERS > 0).float()), F.binary_cross_entropy),
        (F.softplus, 1, (X, NUMBERS.abs()), "mse"),
        (
            lambda h: h,
            3,
            (X, LABELS),
            F.binary_cross_entropy_with_logits,
        ),
    ],
)
def test_heads_that_fit_are_not_blamed(rule, out, data, loss):
    exams = ["soundness/head_and_loss", "soundness/loss_and_targets"]
    assert not loud(only(exams, ended(rule, out), data, loss=loss))


def test_targets_of_a_wild_scale_are_blamed_when_standardising_helps():
    target = 1e4 + 3e3 * X[:, :1]
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
    found = only("soundness/loss_and_targets", model, (X, target), optimizer="adam:lr=0.01")
    (finding,) = [f for f in found if f.title == "Targets have an extreme scale"]
    assert finding.severity is Severity.MEDIUM and finding.evidence is Evidence.CONFIRMED


def test_a_sigmoid_before_the_logistic_loss_is_found_with_float_targets_too():
    target = (NUMBERS > 0).float()
    loss = nn.BCEWithLogitsLoss()
    twice = only("soundness/double_softmax", ended(torch.sigmoid, 1), (X, target), loss=loss)
    assert loud(twice) == ["Sigmoid is applied twice"]
    once = only("soundness/double_softmax", ended(lambda h: h, 1), (X, target), loss=loss)
    assert not loud(once)


def test_a_softmax_over_the_batch_mixes_samples():
    (finding,) = only("soundness/batch_independence", ended(lambda h: h.softmax(0)))
    assert finding.severity is Severity.HIGH
    (finding,) = only("soundness/batch_independence", ended(lambda h: h.softmax(-1)))
    assert finding.severity is Severity.NONE


def test_a_recurrent_layer_that_takes_the_batch_for_time_is_named():
    data = (torch.randn(16, 5, 4), Y[:16])

    def net(first):
        cell = nn.GRU(4, 8, batch_first=first)
        return Calls(lambda m, x: m.head(m.cell(x)[0][:, -1]), cell=cell, head=nn.Linear(8, 3))

    (finding,) = only("soundness/batch_independence", net(False), data)
    assert (
        "treats the batch axis as time" in finding.meaning and "batch_first=True" in finding.advice
    )
    (finding,) = only("soundness/batch_independence", net(True), data)
    assert finding.severity is Severity.NONE


def test_layers_in_a_plain_list_are_found_by_name_and_gain_no_gradient():
    model = Calls(lambda m, x: m.head(F.relu(m.layers[0](x))), head=nn.Linear(8, 3))
    model.layers = [nn.Linear(6, 8)]
    found = only("soundness/ownership", model)
    assert found[0].severity is Severity.HIGH and found[0].where.startswith("layers[0].")
    assert model.layers[0].weight.grad is None


def test_parameters_that_the_optimizer_lacks_are_named():
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    some = torch.optim.SGD(model[0].parameters(), lr=0.1)
    assert only("soundness/ownership", model, optimizer=some)[0].where == "2.weight"
    every = torch.optim.SGD(model.parameters(), lr=0.1)
    assert not loud(only("soundness/ownership", model, optimizer=every))


def test_functional_layers_are_seen():
    dead = Calls(lambda m, x: m.b(F.relu(m.a(x))), a=nn.Linear(6, 8), b=nn.Linear(8, 3))
    nn.init.constant_(dead.a.bias, -100.0)
    (finding,) = only("trainability/units", dead)
    assert finding.where == "relu after 'a'" and finding.severity is Severity.HIGH
    dropped = Calls(lambda m, x: F.dropout(m.a(x), 0.5, m.training), a=nn.Linear(6, 3))
    assert [f.title for f in only("soundness/modes", dropped)] == ["Dropout"]


class Attends(nn.Module):
    """Attention over tokens with a mask that is heeded or not."""

    def __init__(self, heed):
        super().__init__()
        self.table, self.heed, self.head = nn.Embedding(11, 8), heed, nn.Linear(8, 3)

    def forward(self, input_ids, attention_mask):
        h = self.table(input_ids)
        mask = attention_mask[:, None, :].bool() if self.heed else None
        h = F.scaled_dot_product_attention(h, h, h, attn_mask=mask)
        weights = attention_mask[..., None].to(h)
        return self.head((h * weights).sum(1) / weights.sum(1))


@pytest.mark.parametrize(("heed", "severity"), [(False, Severity.HIGH), (True, Severity.NONE)])
def test_padding_that_matters_is_found(heed, severity):
    ids = torch.randint(11, (12, 8))
    data = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "label": Y[:12]}
    (finding,) = only("soundness/padding", Attends(heed), data)
    assert finding.severity is severity


def test_eight_bit_integers_that_wrap_are_found():
    bytes_ = torch.randint(256, (32, 6), dtype=torch.uint8)
    wraps = Calls(lambda m, x: m.fc((x + x).float() / 255), fc=nn.Linear(6, 3))
    fine = Calls(lambda m, x: m.fc(x.float() / 255), fc=nn.Linear(6, 3))
    assert "8-bit integers overflow" in loud(only("soundness/inputs", wraps, (bytes_, Y[:32])))
    assert not loud(only("soundness/inputs", fine, (bytes_, Y[:32])))


def test_a_list_made_by_multiplication_is_one_layer():
    layer = nn.Linear(6, 6)
    model = nn.Sequential(*[layer] * 3, nn.Linear(6, 3))
    found = only("soundness/parameters", model)
    assert "One layer is used in several places" in [f.title for f in found]


def test_a_layer_that_is_never_called_has_no_gradient_and_one_behind_zeros_has_zero():
    model = Calls(lambda m, x: m.a(x), a=nn.Linear(6, 3), unused=nn.Linear(6, 3))
    (finding,) = only("trainability/gradient_reach", model)
    assert finding.title == "No gradient reaches a layer" and "Call 'unused'" in finding.advice
