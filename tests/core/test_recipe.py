"""What the user says about the training is taken as it is, and stays as it was."""

import pytest
import torch
from torch import nn

from corollary.core import Subject
from corollary.core.recipe import in_words, optimizer_of_words
from corollary.errors import InputError, InputTypeError


def model():
    return nn.Linear(3, 1)


def test_an_instance_is_taken_as_it_is():
    net = model()
    adam = torch.optim.Adam(net.parameters(), lr=0.01)
    subject = Subject(net, optimizer=adam)
    assert subject.recipe.optimizer is adam and subject.lr == 0.01 and subject.recipe.told


def test_a_twin_makes_steps_and_the_users_optimizer_does_not():
    net = model()
    adam = torch.optim.Adam(net.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(adam, 1, gamma=0.5)
    net(torch.ones(2, 3)).sum().backward()
    adam.step()
    before = adam.state_dict()["state"][0]["exp_avg"].clone()
    twin, twin_schedule = Subject(net, optimizer=adam, scheduler=schedule).recipe.twin()
    for _ in range(3):
        twin.step()
        twin_schedule.step()
    assert torch.equal(adam.state_dict()["state"][0]["exp_avg"], before)
    assert not torch.equal(twin.state[net.weight]["exp_avg"], before)
    assert adam.param_groups[0]["lr"] == 0.01 and twin.param_groups[0]["lr"] == 0.01 / 8
    assert schedule.last_epoch == 0


def test_what_is_not_told_is_assumed_and_said():
    assert "Adam" in Subject(model()).recipe.assumed and Subject(model()).lr is None
    assert Subject(model(), lr=0.1).recipe.assumed == "plain SGD"


def test_words_make_an_optimizer():
    words = "sgd:lr=0.1,momentum=0.9,nesterov=true"
    assert in_words(optimizer_of_words(words, model().parameters(), None)) == (
        "SGD(lr=0.1, momentum=0.9, nesterov=True)"
    )
    assert optimizer_of_words("adam", model().parameters(), 0.5).defaults["lr"] == 0.5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("adamx", "expected an optimizer such as"),
        ("adam:lr", "expected a setting such as lr=3e-4"),
        ("adam:lr=fast", "expected a number for 'lr'"),
        ("adam:momentum=0.9", "cannot be created"),
    ],
)
def test_words_that_make_none_are_refused(words, message):
    with pytest.raises(InputError, match=message):
        Subject(model(), optimizer=words)


def test_two_learning_rates_are_refused():
    net = model()
    with pytest.raises(InputError, match="omit lr"):
        Subject(net, optimizer=torch.optim.SGD(net.parameters(), lr=0.1), lr=0.2)
    with pytest.raises(InputTypeError, match="lr_scheduler"):
        Subject(net, scheduler="cosine")
