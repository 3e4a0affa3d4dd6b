"""Medium and high are for what was seen."""

import torch
from torch import nn

from corollary.core import Budget, Evidence, Finding, Severity, Subject
from corollary.examine.confirm import confirmed
from corollary.examine.examiner import examine
from corollary.exams.trial_run import trial_run_of

X = torch.randn(128, 6)
Y = X[:, :3].argmax(1)
WORK = Budget.of(100.0)


def network():
    return nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))


def predicted(**what):
    return Finding("trainability/x", "Theory fears the worst", Severity.HIGH, **what)


def test_what_theory_fears_of_a_network_that_learns_is_a_remark():
    found = confirmed(predicted(), Subject(network(), (X, Y)), WORK)
    assert found.severity is Severity.LOW and found.evidence is Evidence.PREDICTED


def test_what_theory_fears_of_a_run_that_diverges_is_confirmed():
    found = confirmed(predicted(), Subject(network(), (X, Y), lr=1e4), WORK)
    assert found.severity is Severity.HIGH and found.evidence is Evidence.CONFIRMED


def test_a_remedy_that_helps_confirms():
    shifted = Subject(network(), (X + 50.0, Y))
    found = confirmed(predicted(remedy="standardised inputs"), shifted, WORK)
    assert found.evidence is Evidence.CONFIRMED and "with this change" in found.meaning


def test_without_a_run_nothing_is_loud():
    found = confirmed(predicted(), Subject(network()), WORK)
    assert found.severity is Severity.LOW and "No training run has confirmed" in found.meaning


def test_the_run_leaves_the_network_and_the_optimizer_as_they_were():
    net = network()
    adam = torch.optim.Adam(net.parameters())
    before = [p.clone() for p in net.parameters()]
    trial = trial_run_of(Subject(net, (X, Y), optimizer=adam), WORK)
    assert trial.learns and not trial.diverged
    assert all(torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))
    assert not adam.state and all(p.grad is None for p in net.parameters())


def test_the_same_work_gives_the_same_findings():
    torch.manual_seed(0)
    net = network()
    first, second = (examine(net, (X, Y), only="trainability", effort="quick") for _ in range(2))
    assert first.findings == second.findings
