"""Training as the command does it."""

import json
import math
import os
import resource

import pytest
import torch
from torch import nn

from corollary.core import Subject
from corollary.errors import ResultsFileError
from corollary.examine.weights import load_weights
from corollary.train.subjects import save_weights, train_subject


def classifier(lr, rows=None):
    torch.manual_seed(0)
    x = torch.randn(64, 2)
    y = (x.sum(1) > 0).long()
    if rows is not None:
        x[rows] = math.nan
    net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
    return Subject(net, (x, y), lr=lr, batch_size=16)


@pytest.mark.parametrize(
    "subject", [classifier(1e20), classifier(0.1, slice(0, 16))], ids=["lr", "nan"]
)
def test_training_that_diverges_is_a_result_that_can_be_written(subject):
    done = train_subject(subject, steps=50)
    assert done.worse and done.history.diverged
    written = json.loads(json.dumps(done.to_json(), allow_nan=False))
    assert written["learned"]["loss"] is None and written["diverged"]


def test_an_answer_that_is_not_a_number_is_never_right():
    subject = classifier(0.1)
    nn.init.constant_(subject.model[2].bias, math.nan)
    done = train_subject(subject, steps=1)
    assert done.learned.accuracy == 0 and done.held_out.accuracy == 0


def test_a_healthy_run_is_scored_as_before():
    done = train_subject(classifier(0.1), steps=200)
    assert not done.worse and done.learned.accuracy > 0.9
    assert done.to_json()["learned"]["loss"] == done.learned.loss


def tied():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    net[1].weight = net[0].weight
    return net


def test_weights_come_back_also_where_two_layers_share_them(tmp_path):
    net, other = tied(), tied()
    save_weights(net, tmp_path / "w.safetensors")
    load_weights(other, tmp_path / "w.safetensors")
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))
    assert other[1].weight is other[0].weight


def test_weights_have_the_mode_that_the_umask_asks_for(tmp_path):
    before = os.umask(0o022)
    try:
        save_weights(nn.Linear(1, 1), tmp_path / "w.safetensors")
    finally:
        os.umask(before)
    assert (tmp_path / "w.safetensors").stat().st_mode & 0o777 == 0o644


def test_a_full_disk_keeps_the_old_weights_and_is_one_sentence(tmp_path):
    path = tmp_path / "w.safetensors"
    save_weights(nn.Linear(1, 1), path)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))  # as if the disk ended there
    try:
        with pytest.raises(ResultsFileError, match="w.safetensors cannot be written"):
            save_weights(nn.Linear(100, 100), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1
