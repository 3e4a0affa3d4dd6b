import math
from functools import partial

import pytest
import torch
from scipy.stats import binomtest
from torch import nn
from torch.nn import functional as F

from corollary.core import Severity, Status, Subject
from corollary.core.batch import Batch
from corollary.examine.examiner import examine, examine_subject
from corollary.exams.chains import chain_of, dense_relu_matrices, lipschitz_constants
from corollary.exams.generalization import norm_capacity
from corollary.exams.labelled_scores import margins_of
from corollary.exams.readings import upwards
from corollary.exams.risks import Risk, risk_of
from corollary.exams.trials import drawn_anew, relabelled
from corollary.train import fit


def rows(n=300, d=6, k=3):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(n, d, generator=generator)
    return x, (x @ torch.randn(d, k, generator=generator)).argmax(1)


def network(width=32, d=6, k=3):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(d, width), nn.ReLU(), nn.Linear(width, k))


def trained(model, data, steps=400):
    adam = partial(torch.optim.Adam, lr=1e-2)
    fit(model, data, F.cross_entropy, adam, steps=steps, batch_size=64)
    return model


def asked(name, model, data, **about):
    return examine(model, data, only=f"generalization/{name}", budget=60, **about).findings


# Risks


def test_a_risk_of_classes_has_the_exact_binomial_interval():
    each = torch.tensor([1.0] * 3 + [0.0] * 17)
    found, exact = Risk(each, 0.5, True).reading(), binomtest(3, 20).proportion_ci(0.95)
    assert (found.low, found.high) == (pytest.approx(exact.low), pytest.approx(exact.high))


def test_the_risk_of_a_constant_is_what_chance_says():
    x, y = rows()

    class Constant(nn.Module):
        def forward(self, x):
            return F.one_hot(y.mode().values, 3).expand(len(x), 3).float()

    risk = risk_of(Subject(Constant(), (x, y)), Batch((x,), {}, y))
    assert risk.value == pytest.approx(risk.chance)


def test_the_mean_as_an_answer_has_a_risk_of_one_variance():
    x, t = torch.randn(50, 2), torch.randn(50, 1)

    class Mean(nn.Module):
        def forward(self, x):
            return t.mean().expand(len(x), 1)

    risk = risk_of(Subject(Mean(), (x, t)), Batch((x,), {}, t))
    assert risk.value == pytest.approx(1.0, rel=1e-5) and risk.chance == 1.0


def test_labels_that_do_not_count_are_left_out():
    out, y = torch.eye(3)[None], torch.tensor([[0, -100, 1]])  # answers 0, 1, 2

    class Fixed(nn.Module):
        def forward(self, x):
            return out

    risk = risk_of(Subject(Fixed(), (torch.zeros(1, 1), y)), Batch((torch.zeros(1, 1),), {}, y))
    assert risk.each.tolist() == [0.5]


def test_an_upper_bound_is_never_rounded_down():
    for value in (0.0123, 6.54, 99.91, 0.2, 84.00001):
        assert upwards(value).value >= value


# Trials


def test_weights_that_no_layer_can_draw_are_named():
    model = nn.Sequential(nn.Linear(2, 2), nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)))
    assert all(name.startswith("1.") for name in drawn_anew(model, 0)) and drawn_anew(model, 0)


def test_labels_inside_the_inputs_are_shuffled_too():
    y = torch.arange(4)
    batch = relabelled(Batch((), {"x": y, "labels": y}, y), torch.tensor([1, 0, 3, 2]))
    assert batch.target.tolist() == batch.named["labels"].tolist() == [1, 0, 3, 2]
    assert batch.named["x"].tolist() == [0, 1, 2, 3]


# Exams


@pytest.mark.parametrize("after", [False, True])
def test_a_healthy_network_is_not_blamed_before_or_after_training(after):
    model = trained(network(), rows()) if after else network()
    done = examine(model, rows(), only="generalization", budget=600)
    assert done.worst() is Severity.NONE
    assert not [f for f in done.findings if f.status is Status.FAILED]


def test_a_network_that_memorised_its_samples_is_seen_through():
    x, y = rows()
    wrong = y[torch.randperm(len(y), generator=torch.Generator().manual_seed(1))]
    model = trained(network(256), (x, wrong), 600)
    assert float((model(x).argmax(1) == wrong).float().mean()) > 0.9
    (unseen,) = asked("unseen", model, (x, wrong))
    assert unseen.severity is Severity.MEDIUM and "same order" in unseen.advice
    assert unseen.details["start"] == "weights drawn anew"


def test_held_out_samples_are_used_where_they_are_given():
    x, y = rows(600)
    model = trained(network(256), (x[:60], y[:60]), 400)
    subject = Subject(model, (x[:60], y[:60]), held_out=(x[60:], y[60:]))
    (found,) = examine_subject(subject, only="generalization/unseen").findings
    wrong = int((model(x[60:]).argmax(1) != y[60:]).sum())
    exact = binomtest(wrong, 540).proportion_ci(0.95)
    gap = 100 * (wrong / 540 - found.details["train"])
    assert found.value.value == pytest.approx(gap, abs=0.6)
    assert (found.severity is Severity.MEDIUM) == (exact.low - found.details["train"] > 0.1)


def test_labels_are_learned_faster_than_shuffled_ones_and_shuffled_ones_are_not():
    x, y = rows()
    good, capacity = asked("memorisation", network(), (x, y))
    assert good.value.low > 1.5 and good.severity is Severity.NONE
    shuffled = y[torch.randperm(300, generator=torch.Generator().manual_seed(2))]
    assert asked("memorisation", network(), (x, shuffled))[0].severity is Severity.MEDIUM
    assert 0 <= capacity.value.value <= 100


def test_the_spectral_product_bounds_every_slope():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64, 16),
        nn.Tanh(),
        nn.Linear(16, 3),
    ).eval()
    x = torch.randn(8, 1, 8, 8)
    subject = Subject(model, (x, torch.zeros(8, dtype=torch.long)))
    chain = chain_of(subject, subject.data())
    product = math.prod(s for _, s in lipschitz_constants(chain, 0))
    jacobian = torch.func.vmap(torch.func.jacrev(lambda z: model(z[None])[0]))(x)
    slopes = torch.linalg.matrix_norm(jacobian.detach().reshape(8, 3, -1), 2)
    assert float(slopes.max()) <= product * (1 + 1e-5)


def test_the_norm_of_a_convolution_is_that_of_its_matrix():
    torch.manual_seed(0)
    layer, x = nn.Conv2d(1, 2, 3, padding=1), torch.randn(1, 1, 5, 5)
    subject = Subject(nn.Sequential(layer), (x, x))
    ((_, found),) = lipschitz_constants(chain_of(subject, subject.data()), 0)
    matrix = torch.autograd.functional.jacobian(layer, x).reshape(50, 25)
    assert found == pytest.approx(float(torch.linalg.matrix_norm(matrix, 2)), rel=1e-2)


def test_the_matrices_of_a_chain_with_biases_give_its_outputs():
    model, x = network().double(), torch.randn(7, 6, dtype=torch.float64)
    subject = Subject(model, (x, x))
    (first, last), biased = dense_relu_matrices(chain_of(subject, subject.data()))
    with_one = torch.cat([x, torch.ones(7, 1, dtype=torch.float64)], dim=1)
    assert biased and torch.allclose((with_one @ first.T).relu() @ last.T, model(x))


def test_a_linear_classifier_with_a_wide_margin_gets_a_bound_below_one(monkeypatch):
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(20_000) % 2
    x = torch.randn(20_000, 2, generator=generator, dtype=torch.float64)
    x = F.normalize(x) * 0.01 + torch.stack([2.0 * y - 1, 0 * y], dim=1)
    model = nn.Linear(2, 1, bias=False).double()
    model.weight.data.copy_(torch.tensor([[1.0, 0.0]]))
    subject = Subject(model, (x, y), samples=20_000)
    monkeypatch.setattr(norm_capacity, "SAMPLES", 20_000)
    _, bound = examine_subject(subject, only="generalization/norm_capacity").findings
    assert bound.value.value < 0.5 and "error rate on new samples" in bound.meaning


def test_vacuous_bounds_are_called_so():
    model = trained(network(64), rows())
    said = [
        f.meaning
        for name in ("norm_capacity", "parameter_count", "certificate")
        for f in asked(name, model, rows())
    ]
    assert sum("Vacuous" in text or "says nothing" in text for text in said) == 3


def test_certificates_hold_for_fresh_samples():
    x, y = rows(4000)
    found = asked("certificate", trained(network(), (x[:600], y[:600])), (x[:600], y[:600]))
    as_is, kept_back, learned = found
    model = trained(network(), (x[:600], y[:600]))
    error = 100 * float((model(x[600:]).argmax(1) != y[600:]).float().mean())
    assert error < kept_back.value.value < learned.value.value < 50 < as_is.value.value
    assert kept_back.details["n"] >= 256
    assert learned.details["probability that the bound holds"] == "0.95"


def test_margins_come_with_the_distance_of_a_linear_classifier():
    x, _ = rows(200)
    y = (x[:, 0] > 0).long()
    model = nn.Linear(6, 1)
    model.weight.data.copy_(torch.eye(6)[:1] * 5)
    model.bias.data.zero_()
    (found,) = asked("margins", model, (x, y))
    away = torch.cdist(x.double(), x.double()).masked_fill(y[:, None] == y, torch.inf).amin(1)
    exact = 100 * float((x[:, 0].abs().double() / (away / 2)).quantile(0.5))
    assert found.value.value == pytest.approx(exact, rel=0.05)


def test_margins_of_two_scores_are_their_difference():
    scores = torch.tensor([[1.0, 3.0], [2.0, -1.0]])
    assert margins_of(scores, torch.tensor([1, 1])).tolist() == [2.0, -3.0]


def test_curvature_changes_with_the_weights_and_the_function_does_not():
    found = asked("flatness", trained(network(), rows()), rows())[1]
    assert found.details["after"] > 1.3 * found.details["before"] > 0


@pytest.mark.parametrize("name", ["unseen", "memorisation", "certificate"])
def test_few_samples_are_not_split(name):
    (found,) = asked(name, network(), rows(40))
    assert found.status is Status.NOT_APPLICABLE and "64" in found.meaning


class Wrapped(nn.Module):
    """Tokens by name, an output in a dict, the loss its own."""

    def __init__(self, own_loss):
        super().__init__()
        self.table, self.head, self.own_loss = nn.Embedding(11, 8), nn.Linear(8, 3), own_loss

    def forward(self, ids, labels=None):
        logits = self.head(self.table(ids).mean(1))
        out = {"logits": logits, "note": None}
        return out | {"loss": F.cross_entropy(logits, labels)} if self.own_loss else out


@pytest.mark.parametrize("own_loss", [False, True])
def test_tokens_names_and_dicts_are_no_obstacle(own_loss):
    ids = torch.randint(11, (160, 5), generator=torch.Generator().manual_seed(0))
    y = (ids == 3).any(1).long() + (ids == 5).any(1).long()
    torch.manual_seed(0)
    data = {"ids": ids, "labels" if own_loss else "y": y}
    done = examine(Wrapped(own_loss), data, only="generalization", budget=60)
    assert not [f"{f.exam}: {f.meaning}" for f in done.findings if f.status is Status.FAILED]
    unseen = [f for f in done.findings if f.exam == "generalization/unseen"]
    assert unseen[0].status is Status.DONE


def test_a_language_model_that_shifts_its_labels_is_judged_on_the_next_token():
    class Shifting(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(7, 7)

        def forward(self, ids, labels):
            logits = self.table(ids)
            loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
            return {"loss": loss, "logits": logits}

    ids = (torch.arange(20)[:, None] + torch.arange(6)) % 7  # the next token is the one plus one
    model = Shifting()
    model.table.weight.data.copy_(10 * torch.eye(7).roll(1, dims=1))
    subject = Subject(model, {"ids": ids, "labels": ids})
    assert risk_of(subject, subject.data()).value == 0
