import os
import random
import signal
import subprocess
import sys
import time
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from safetensors import safe_open
from torch import nn

from corollary.errors import InputError
from corollary.train import Checkpoint, Measure, fit
from corollary.train.packing import read_state, write_state

OPTIMIZERS = {
    "momentum": partial(torch.optim.SGD, lr=0.05, momentum=0.9, nesterov=True),
    "adam": partial(torch.optim.Adam, lr=0.01, amsgrad=True),
    "adamw": partial(torch.optim.AdamW, lr=0.01),
    "rmsprop": partial(torch.optim.RMSprop, lr=0.01, momentum=0.5),
    "lbfgs": partial(torch.optim.LBFGS, lr=0.5, max_iter=2),
}
STEPS = 40


def data():
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(38, 5, generator=rng)
    return x, (x[:, :1] > 0).long().squeeze(1)


def network():
    with torch.random.fork_rng():
        torch.manual_seed(3)
        layers = nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.4), nn.Linear(16, 2)
        return nn.Sequential(*layers)


def run(model, optimizer, *, steps=STEPS, source=None, **options):
    return fit(
        model,
        source or data(),
        nn.CrossEntropyLoss(),
        optimizer,
        steps=steps,
        batch_size=None if source else 8,
        accumulate=3,
        clip=1.0,
        rng=5,
        callbacks=[Measure(every=7, bias=lambda m: m[-1].bias.sum())],
        **options,
    )


def bits(model):
    return [t.clone() for t in model.state_dict().values()]


def same(a, b):
    return all(torch.equal(s, t) for s, t in zip(a, b, strict=True))


def decay(step):
    return 0.5 * (1 + 0.9**step)


@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_run_interrupted_at_random_points_ends_in_the_same_bits(name, count, tmp_path):
    whole = network()
    expected = run(whole, OPTIMIZERS[name], schedule=decay)
    for cut in random.Random(name).sample(range(1, STEPS), count):
        path = tmp_path / f"{cut}.safetensors"
        run(network(), OPTIMIZERS[name], steps=cut, schedule=decay, checkpoint=Checkpoint(path))
        torch.rand(cut)  # what happens in between does not matter
        resumed = network()
        with torch.no_grad():
            resumed[0].weight.zero_()  # nor where the new process starts
        keep = Checkpoint(path, resume=True)
        history = run(resumed, OPTIMIZERS[name], schedule=decay, checkpoint=keep)
        assert same(bits(resumed), bits(whole))
        assert history == expected


def test_a_run_stopped_often_ends_in_the_same_bits(tmp_path):
    whole = network()
    run(whole, OPTIMIZERS["adam"])
    keep = Checkpoint(tmp_path / "run.safetensors", every=1, resume=True)
    for upto in (3, 4, 11, 12, 29, STEPS):
        model = network()
        run(model, OPTIMIZERS["adam"], steps=upto, checkpoint=keep)
    assert same(bits(model), bits(whole))


def test_a_shuffling_loader_is_resumed_within_an_epoch(tmp_path):
    def loader():
        return torch.utils.data.DataLoader(
            torch.utils.data.TensorDataset(*data()), batch_size=8, shuffle=True
        )

    whole, model = network(), network()
    run(whole, OPTIMIZERS["adam"], source=loader())
    keep = Checkpoint(tmp_path / "run.safetensors", resume=True)
    run(network(), OPTIMIZERS["adam"], source=loader(), steps=13, checkpoint=keep)
    run(model, OPTIMIZERS["adam"], source=loader(), checkpoint=keep)
    assert same(bits(model), bits(whole))


def test_a_scheduler_of_torch_is_saved_too(tmp_path):
    def go(steps, path=None):
        model = network()
        optimizer = OPTIMIZERS["momentum"](model.parameters())
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 50)
        keep = path and Checkpoint(path, resume=True)
        run(model, optimizer, steps=steps, schedule=schedule, checkpoint=keep)
        return bits(model)

    go(17, tmp_path / "a")
    assert same(go(STEPS, tmp_path / "a"), go(STEPS))


def test_tied_weights_and_complex_parameters_are_saved(tmp_path):
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(5, 5, bias=False)
            self.b = nn.Linear(5, 5, bias=False)
            self.b.weight = self.a.weight
            self.c = nn.Parameter(torch.ones(5, dtype=torch.complex128))

        def forward(self, x):
            return (self.b(torch.tanh(self.a(x))) * self.c).abs()

    def go(model, steps, **options):
        x, _ = data()
        adam = partial(torch.optim.Adam, lr=0.01)
        fit(model, (x, x.abs()), F.mse_loss, adam, steps=steps, batch_size=8, **options)
        return bits(model)

    def start():
        model = Tied()
        nn.init.eye_(model.a.weight)
        return model

    keep = Checkpoint(tmp_path / "tied", resume=True)
    go(start(), 9, checkpoint=keep)
    resumed = start()
    assert same(go(resumed, 20, checkpoint=keep), go(start(), 20))
    assert resumed.a.weight is resumed.b.weight


def test_a_finished_run_is_not_trained_further(tmp_path):
    keep = Checkpoint(tmp_path / "run.safetensors", resume=True)
    first, second = network(), network()
    run(first, OPTIMIZERS["adam"], checkpoint=keep)
    history = run(second, OPTIMIZERS["adam"], checkpoint=keep)
    assert same(bits(first), bits(second)) and history.steps == STEPS


def test_without_resume_a_file_that_exists_is_not_touched(tmp_path):
    path = tmp_path / "run.safetensors"
    run(network(), OPTIMIZERS["adam"], steps=3, checkpoint=Checkpoint(path))
    content = path.read_bytes()
    with pytest.raises(InputError, match="exists already; continue that run with resume=True"):
        run(network(), OPTIMIZERS["adam"], steps=2, checkpoint=Checkpoint(path))
    assert path.read_bytes() == content


def test_the_file_is_safetensors_that_others_can_read(tmp_path):
    path = tmp_path / "run.safetensors"
    model = network()
    run(model, OPTIMIZERS["adam"], steps=3, checkpoint=Checkpoint(path))
    with safe_open(path, framework="pt") as file:
        assert torch.equal(file.get_tensor("state.model.0.weight"), model[0].weight)
    assert os.listdir(tmp_path) == ["run.safetensors"]


def test_a_diverged_run_does_not_replace_the_last_good_state(tmp_path):
    path = tmp_path / "run.safetensors"
    x, _ = data()
    sgd = partial(torch.optim.SGD, lr=1e4)
    history = fit(
        nn.Linear(5, 5),
        (x, x),
        F.mse_loss,
        sgd,
        steps=500,
        on_nan="stop",
        checkpoint=Checkpoint(path, every=2),
    )
    assert history.diverged
    assert torch.isfinite(read_state(path)["model"]["weight"]).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rng": 6}, "with rng 5, but this run has rng 6"),
        ({"batch_size": 9}, "with batch_size 8"),
        ({"accumulate": 1}, "with accumulate 3"),
        ({"data": tuple(t[:-1] for t in data())}, "with rows of data 38, but this run"),
        ({"optimizer": OPTIMIZERS["momentum"]}, "with optimizer Adam"),
        ({"model": nn.Linear(5, 2)}, "has '0.bias'"),
        ({"model": nn.Sequential(nn.Linear(5, 17), *list(network())[1:])}, r"\(16, 5\)"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused_and_changes_nothing(change, words, tmp_path):
    path = tmp_path / "run.safetensors"
    run(network(), OPTIMIZERS["adam"], steps=3, checkpoint=Checkpoint(path))
    content = path.read_bytes()
    model = network()
    how = {
        "model": model,
        "data": data(),
        "loss": nn.CrossEntropyLoss(),
        "steps": 9,
        "rng": 5,
        "optimizer": OPTIMIZERS["adam"],
        "batch_size": 8,
        "accumulate": 3,
    } | change
    before = bits(how["model"])
    with pytest.raises(InputError, match=words):
        fit(**how, checkpoint=Checkpoint(path, resume=True))
    assert same(bits(how["model"]), before) and path.read_bytes() == content


@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b"\x80\x04" + b]
)
def test_a_damaged_file_is_named(damage, tmp_path):
    path = tmp_path / "run.safetensors"
    run(network(), OPTIMIZERS["adam"], steps=3, checkpoint=Checkpoint(path))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=r"run\.safetensors .*damaged"):
        run(network(), OPTIMIZERS["adam"], checkpoint=Checkpoint(path, resume=True))


def test_what_cannot_be_saved_without_pickle_is_named(tmp_path):
    with pytest.raises(InputError, match=r"state\.f, which has type function"):
        write_state(tmp_path / "x", {"f": decay})


def test_an_unwritable_place_is_named_before_the_first_step(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_state(tmp_path / "file" / "x", {})
    model = network()
    before = bits(model)
    with pytest.raises(InputError, match="cannot be written"):
        run(model, OPTIMIZERS["adam"], checkpoint=Checkpoint(tmp_path / "file" / "x"))
    assert same(bits(model), before)


LOOP = """
import sys, torch
from pathlib import Path
from corollary.train.packing import write_state
n = 0
while True:
    n += 1
    write_state(Path(sys.argv[1]), {"n": n, "a": torch.full((200_000,), float(n))})
    print(n, flush=True)
"""


def test_a_process_killed_while_saving_leaves_a_whole_file(tmp_path):
    path = tmp_path / "run.safetensors"
    process = subprocess.Popen(
        [sys.executable, "-c", LOOP, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "1\n"
    time.sleep(0.05)  # by now it writes for the second time or later
    process.send_signal(signal.SIGKILL)
    process.communicate()
    state = read_state(path)
    assert bool((state["a"] == state["n"]).all())


TRAIN = """
import sys, torch
from corollary.train import Checkpoint, fit
torch.set_num_threads(1)
exec(open(sys.argv[1]).read())
fit(**arguments(), steps=1_000_000, callbacks=[lambda loop: print(loop.step, flush=True)],
    checkpoint=Checkpoint(sys.argv[2], every=1))
"""
ARGUMENTS = """
def arguments():
    from functools import partial
    from torch import nn
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(38, 5, generator=rng)
    layers = nn.Linear(5, 16), nn.ReLU(), nn.Dropout(0.4), nn.Linear(16, 5)
    model = nn.Sequential(*layers)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape, generator=rng) / 4)
    return {
        "model": model, "data": (x, x), "loss": nn.MSELoss(), "batch_size": 8, "accumulate": 3,
        "optimizer": partial(torch.optim.Adam, lr=0.01), "rng": 4,
    }
"""


def test_a_process_killed_in_training_is_continued_to_the_same_bits(tmp_path):
    (tmp_path / "arguments.py").write_text(ARGUMENTS)
    names = {"torch": torch}
    exec(ARGUMENTS, names)
    path = tmp_path / "run.safetensors"
    command = [sys.executable, "-c", TRAIN, str(tmp_path / "arguments.py"), str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for _ in range(17):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    killed_at = read_state(path)["history"]["losses"].numel()
    assert killed_at >= 16  # step 17 was made, and 16 saved, before its line was printed
    resumed, whole = names["arguments"](), names["arguments"]()
    a = fit(**resumed, steps=killed_at + 23, checkpoint=Checkpoint(path, resume=True))
    b = fit(**whole, steps=killed_at + 23)
    assert same(bits(resumed["model"]), bits(whole["model"])) and a == b
