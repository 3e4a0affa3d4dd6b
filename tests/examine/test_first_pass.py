"""What one pass tells before the exams begin."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import corollary
from corollary.core import Budget, Severity, Status, Subject
from corollary.errors import InputError, TooMuchWorkError
from corollary.examine.examiner import to_have_it
from corollary.examine.first_pass import copied_inputs, first_forward_pass, reduce_samples
from corollary.exams.landscapes import affordable
from corollary.exams.work import KEY as SPEED
from corollary.exams.work import seconds_per_sample

X, Y = torch.randn(64, 5, generator=torch.Generator().manual_seed(0)), torch.arange(64) % 3


@dataclass
class Record:
    hidden: Tensor
    logits: Tensor


class Pair(NamedTuple):
    hidden: Tensor
    logits: Tensor


class Gives(nn.Module):
    """Hidden units and logits, in the form asked for."""

    def __init__(self, form):
        super().__init__()
        self.form, self.a, self.b = form, nn.Linear(5, 8), nn.Linear(8, 3)

    def forward(self, x):
        h = self.a(x).relu()
        return self.form(h, self.b(h))


class Shifts(nn.Module):
    """Writes into its input."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(5, 3)

    def forward(self, x):
        x.sub_(0.5)
        return self.net(x)


FORMS = [
    Record,
    Pair,
    lambda h, z: (h.unsqueeze(1), z),
    lambda h, z: {"features": h.unsqueeze(1), "scores": z},
]


@pytest.mark.parametrize("form", FORMS)
def test_the_part_of_an_output_that_is_trained_is_found(form):
    subject = Subject(Gives(form), (X, Y))
    first_forward_pass(subject, 20.0)
    with subject.borrowed():
        assert subject.output(subject.data(4)).shape == (4, 3)


def test_an_output_that_was_chosen_stays_chosen():
    subject = Subject(Gives(Pair), (X, Y), output=0)
    with pytest.raises(InputError, match="out of bounds|does not fit"):
        first_forward_pass(Subject(Gives(Pair), (X, Y + 6), output=0), 20.0)
    first_forward_pass(subject, 20.0)
    assert subject.selector == 0


@pytest.mark.parametrize(
    ("model", "data", "sentence"),
    [
        (nn.Linear(4, 3), (X, Y), "the first layer expects a different number of input features"),
        (nn.Linear(5, 3), (X.double(), Y), "with x.to(torch.float32)"),
        (nn.LazyLinear(3), (X, Y), "call the module with one batch first"),
        (nn.LazyLinear(3), None, "call the module with one batch first"),
        (nn.Linear(5, 3, device="meta"), (X, Y), "hold no numbers; load the weights first"),
        (
            nn.Linear(5, 3),
            [(X, (Y, Y))],
            "no built-in loss accepts targets of type tuple (2 parts)",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence_in_python_too(model, data, sentence):
    with pytest.raises(InputError, match="^[^\n]+$") as caught:
        corollary.examine(model, data, only="soundness")
    assert sentence in str(caught.value)


def test_a_module_that_writes_into_its_input_is_told_so_and_does_no_harm():
    x, model = X.clone(), Shifts()
    done = corollary.examine(model, (x, Y), only="soundness")
    grave = [f.title for f in done.findings if f.severity is not Severity.NONE]
    assert grave == ["The network changes its input"] and torch.equal(x, X)
    assert not model._forward_pre_hooks


def test_a_copy_is_made_for_the_time_of_the_block_alone():
    subject = Subject(Shifts(), (X.clone(), Y))
    first_forward_pass(subject, 20.0)
    with copied_inputs(subject), subject.borrowed():
        subject.call(subject.data(4))
    assert torch.equal(subject.data().inputs[0], X)
    assert not subject.model._forward_pre_hooks


def test_weights_that_are_not_numbers_are_told_once():
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
    model[2].weight.data[0, 0] = float("nan")
    done = corollary.examine(model, (X, Y), lr=0.1)
    assert [f.exam for f in done.findings if f.severity is Severity.HIGH] == ["soundness/finite"]
    assert not any(f.status is Status.FAILED for f in done.findings)


def test_labels_without_an_output_are_a_finding_and_nothing_else_fails():
    done = corollary.examine(nn.Linear(5, 3), (X, Y + 1), lr=0.1)
    assert [f.exam for f in done.findings if f.severity is Severity.HIGH] == ["soundness/labels"]
    assert not any(f.status is Status.FAILED for f in done.findings)


@pytest.mark.filterwarnings("ignore")  # torch is leaving its scripts behind
def test_a_scripted_module_is_examined_from_outside():
    model = torch.jit.trace(nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3)), X[:2])
    done = corollary.examine(model, (X, Y), only=["soundness", "learning/linearised_curve"])
    assert not any(f.status is Status.FAILED for f in done.findings)
    assert any(f.status is Status.DONE for f in done.findings)


@pytest.mark.filterwarnings("ignore")
def test_a_compiled_module_is_examined_as_the_one_within():
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
    done = corollary.examine(
        torch.compile(model, backend="eager"), (X, Y), only="trainability/units", loss=_loss
    )
    assert done.subject["module"] == "Sequential" and done.findings[0].where == "1"


def _loss(output, target):
    return F.cross_entropy(output, target)


def test_of_a_slow_module_fewer_samples_are_taken():
    subject = Subject(nn.Linear(5, 3), (X.repeat(4, 1), Y.repeat(4)))
    subject.memo[SPEED] = 0.01  # seconds a sample
    for seconds, n in {60.0: 100, 6.4: 64, 3.2: 32, 0.1: 4}.items():
        reduce_samples(subject, seconds)
        assert subject.data().size == n
    assert subject.everything().size == 256, "to look at, and to draw from"


def test_an_exam_that_cannot_end_in_time_says_how_long_it_would_take():
    subject = Subject(nn.Linear(5, 3), (X, Y))
    subject.memo[SPEED] = 10.0
    with pytest.raises(TooMuchWorkError, match="this exam needs about 3 min of work") as why:
        affordable(subject, Budget.of(60.0), 2.0, 64)
    assert to_have_it("a/b", why.value) == "to run it, use --only a/b --effort thorough"
    alone = replace(Budget.of(1000.0), unlimited=True)
    assert affordable(subject, alone, 200.0, 64) == 8, "asked for alone, nothing is too much"


def test_the_pace_is_measured_once():
    subject = Subject(nn.Linear(5, 3), (X, Y))
    assert seconds_per_sample(subject) == seconds_per_sample(subject) > 0
