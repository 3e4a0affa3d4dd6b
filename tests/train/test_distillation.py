import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, kl_div, log_softmax, softmax

from corollary.errors import InputError
from corollary.train import distill, fit
from corollary.train.losses import DistillationLoss

G = torch.Generator().manual_seed(0)
X = torch.randn(200, 2, generator=G)
LABELS = (X[:, 0] * X[:, 1] > 0).long()


def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.05)


def network():
    return nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))


@pytest.fixture(scope="module")
def teacher():
    net = network()
    fit(net, (X, LABELS), cross_entropy, adam, steps=200)
    return net


def test_the_loss_is_torchs_divergence_plus_the_teachers_entropy():
    F, S = torch.randn(2, 5, 3, generator=G, dtype=torch.float64)
    p = softmax(F / 3, dim=1)
    entropy = -(p * p.log()).sum(dim=1).mean()
    peer = 9 * (kl_div(log_softmax(S / 3, dim=1), p, reduction="batchmean") + entropy)
    torch.testing.assert_close(DistillationLoss(3.0)(S, F), peer)


def test_labels_are_mixed_in_with_weight_one_minus_alpha():
    F, S = torch.randn(2, 5, 3, generator=G, dtype=torch.float64)
    y = torch.tensor([0, 1, 2, 0, 1])
    mixed = DistillationLoss(2.0, 0.3)(S, F, y)
    torch.testing.assert_close(mixed, 0.3 * DistillationLoss(2.0)(S, F) + 0.7 * cross_entropy(S, y))


def test_a_student_learns_from_inputs_without_labels(teacher):
    new = torch.randn(300, 2, generator=G)
    student = network()
    distill(teacher, student, new, adam, steps=150)
    agree = (student(X).argmax(dim=1) == teacher(X).argmax(dim=1)).float().mean()
    assert float(agree) > 0.9


def test_the_teacher_is_left_alone(teacher):
    before = {k: v.clone() for k, v in teacher.state_dict().items()}
    teacher.train()
    distill(teacher, network(), (X, LABELS), adam, alpha=0.5, steps=3)
    assert teacher.training
    assert all(torch.equal(v, before[k]) for k, v in teacher.state_dict().items())
    assert all(p.grad is None or not bool(p.grad.isnan().any()) for p in teacher.parameters())


def test_teachers_logits_as_targets_give_the_same_run(teacher):
    torch.manual_seed(1)
    one, two = network(), network()
    two.load_state_dict(one.state_dict())
    with torch.no_grad():
        F = teacher(X)
    distill(teacher, one, X, adam, T=3.0, steps=10)
    fit(two, (X, F), DistillationLoss(3.0), adam, steps=10)
    torch.testing.assert_close(one[0].weight, two[0].weight)


def test_missing_labels_and_other_numbers_of_classes_are_refused(teacher):
    with pytest.raises(InputError, match="labels"):
        distill(teacher, network(), X, adam, alpha=0.5, steps=1)
    with pytest.raises(InputError, match="classes"):
        distill(teacher, nn.Linear(2, 3), X, adam, steps=1)
    with pytest.raises(InputError, match="call"):
        distill(teacher, network(), X, adam, steps=1, call=print)
    with pytest.raises(InputError, match="alpha"):
        DistillationLoss(alpha=2.0)
    with pytest.raises(InputError, match="T must"):
        DistillationLoss(T=0.0)
