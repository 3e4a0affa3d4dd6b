"""What is by design, undecided or a matter of form is not blamed."""

import torch
from torch import nn

from corollary.core import Batch, Severity, Subject
from corollary.examine.examiner import examine
from corollary.exams.linear_reference import linear_fit_generalises
from corollary.exams.probes import probe_of
from corollary.exams.risks import risk_of
from corollary.exams.scales import float_inputs
from corollary.exams.soundness.duplicates import _rows


class Colours(nn.Module):
    """Reads every pixel alone and takes the mean: the order of pixels is no matter by design."""

    def __init__(self):
        super().__init__()
        self.mix, self.head = nn.Conv2d(3, 12, 1), nn.Linear(12, 2)

    def forward(self, x):
        return self.head(torch.relu(self.mix(x)).mean((2, 3)))


def test_a_network_of_colours_is_told_and_not_blamed():
    torch.manual_seed(0)
    x = torch.rand(128, 3, 5, 5)
    y = (x[:, 0].mean((1, 2)) > x[:, 1].mean((1, 2))).long()
    net = Colours()
    adam = torch.optim.Adam(net.parameters(), lr=0.05)
    about = {"optimizer": adam, "batch_size": 32, "steps": 60, "effort": "quick"}
    found = examine(net, (x, y), only="symmetries", **about).findings
    (order,) = [f for f in found if f.title == "The network ignores the order of pixels"]
    assert order.severity is Severity.LOW


def test_a_network_without_an_opinion_guesses():
    y = torch.tensor([3, 3, 3, 0])
    flat = nn.Linear(2, 4)
    nn.init.zeros_(flat.weight)
    nn.init.zeros_(flat.bias)
    batch = Batch((torch.randn(4, 2),), {}, y)
    subject = Subject(flat, batch)
    with subject.borrowed():
        assert risk_of(subject, batch).value == 0.75
        flat.bias.data[3] = 1.0  # one opinion
        assert risk_of(subject, batch).value == 0.25


class OfParts(nn.Module):
    """Takes a dict of tensors whole."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(5, 2)

    def forward(self, parts):
        return self.fc(torch.cat([parts["a"], parts["b"]], 1))


def test_inputs_within_dicts_are_inputs():
    batch = Batch(({"a": torch.randn(16, 3), "b": torch.randn(16, 2)},), {}, torch.arange(16) % 2)
    assert len(float_inputs(batch)) == 2
    assert _rows(batch).shape == (16, 5)
    assert probe_of(Subject(OfParts(), batch), 16).x.shape == (16, 5)


def test_a_line_acquits_data_that_belong_together_and_not_shuffled_labels():
    torch.manual_seed(1)
    ids = torch.randint(60, (400, 8))
    praise = (torch.randn(60)[ids].sum(1) > 0).long()
    assert linear_fit_generalises(Batch((ids,), {}, praise))
    assert not linear_fit_generalises(Batch((ids,), {}, praise[torch.randperm(400)]))


def waves(n=24, c=3, side=10):
    """Smooth images with channels of their own, channels last."""
    rng = torch.Generator().manual_seed(0)
    phase, tilt = torch.rand(n, 1, 1, c, generator=rng) * 6, torch.randn(n, 2, c, generator=rng)
    grid = torch.linspace(0, 2, side)
    down, along = grid[None, :, None, None], grid[None, None, :, None]
    return (tilt[:, None, None, 0] * down + tilt[:, None, None, 1] * along + phase).sin()


def test_images_that_were_viewed_are_told_from_those_that_were_permuted_and_from_noise():
    x, y = waves(), torch.arange(24) % 2
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(256, 2))
    title = "Images are reshaped where their axes should be permuted"
    for images, wanted in (
        (x.reshape(24, 3, 10, 10), True),
        (x.permute(0, 3, 1, 2).contiguous(), False),
        (torch.randn(24, 3, 10, 10), False),
    ):
        found = examine(net, (images, y), only="soundness/inputs", effort="quick").findings
        assert (title in [f.title for f in found]) == wanted
