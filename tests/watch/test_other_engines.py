"""Compiled modules and several processes: the same bits, one report."""

import subprocess
import sys
import textwrap

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.watch.record import read_run
from corollary.watch.watcher import watch

LOOP = """
    import sys

    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn import functional as F
    from torch.nn.parallel import DistributedDataParallel

    from corollary.watch.watcher import watch

    dist.init_process_group("gloo")


    def trained(watched):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
        model = DistributedDataParallel(net)
        optimizer = torch.optim.AdamW(model.parameters())
        if watched:
            watcher = watch(model, optimizer, to=sys.argv[1], overhead=0.5, quiet=True)
        torch.manual_seed(dist.get_rank())
        for _ in range(30):
            x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        if watched:
            watcher.close()
            assert watcher.problems == [], watcher.problems
            assert "stability" in watcher.readings
        return model.state_dict()


    with_it, without = trained(True), trained(False)
    assert all(torch.equal(with_it[name], without[name]) for name in without)

    torch.manual_seed(dist.get_rank())
    net = nn.Linear(4, 1, bias=False)
    nn.init.zeros_(net.weight)
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    with watch(model, optimizer, to=None, overhead=1.0, quiet=True) as watcher:
        for _ in range(170):
            x = torch.randn(32, 4)
            y = x.sum(1, keepdim=True) + 0.5 * torch.randn(32, 1)
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
    exact = (4 * (4 * (4 + 0.25) + 2 * 4) - 16) / 16  # as in test_measurements.py
    found = watcher.readings["critical batch size"]
    assert found.low <= exact <= found.high < 4 * exact, (found, exact)
    dist.destroy_process_group()
"""


@pytest.mark.slow
def test_two_processes_train_the_same_and_give_one_report(tmp_path):
    (tmp_path / "loop.py").write_text(textwrap.dedent(LOOP))
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    words = [*start, str(tmp_path / "loop.py"), str(tmp_path / "run.jsonl")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    run = read_run(tmp_path / "run.jsonl")
    assert (run.ranks, run.steps, run.ended) == (2, 30, True)


def compiled(watched, whole):
    torch._dynamo.reset()
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3)
    )
    model = torch.compile(net, fullgraph=True)
    optimizer = torch.optim.AdamW(net.parameters())
    found = None
    if watched:
        found = watch(model if whole else net, optimizer, to=None, quiet=True, overhead=0.5)
    for _ in range(40):
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    if found:
        found.close()
    return net.state_dict(), torch.get_rng_state(), found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the compiler
@pytest.mark.parametrize("whole", [True, False])
def test_compiled_modules_train_the_same_in_one_graph(whole):
    ours, rng, found = compiled(True, whole)
    plain, plain_rng, _ = compiled(False, whole)
    assert all(torch.equal(ours[name], plain[name]) for name in plain)
    assert torch.equal(rng, plain_rng)
    assert found.step == 40
    assert ("stability" in found.readings) is whole  # by a second pass of the module within
