"""What several processes do in ``test_parallel.py``; run by it, once as each of them.

``python together.py FOLDER RANK SIZE`` writes what came of it to ``FOLDER/RANK.json``.
"""

import json
import os
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

from corollary.errors import CorollaryError
from corollary.theory.kernels import infinite
from corollary.train import Checkpoint, EarlyStopping, L2Penalty, Measure, fit

PATIENCE = timedelta(minutes=10)  # a loaded machine is slow
ADAM = partial(torch.optim.AdamW, lr=0.01)
SGD = partial(torch.optim.SGD, lr=0.05, momentum=0.9)


def data(n: int = 38) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(n, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return x, (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()


class Net(nn.Module):
    """With a weight that is used twice, one that is never used, and a method of its own."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), *layers, nn.Linear(7, 3))
        self.again = self.body[0].weight  # tied
        self.idle = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return self.body(x) + (x @ self.again.T)[:, :3]

    def half(self, x):
        return self(x) / 2


def network(*layers: nn.Module) -> Net:
    net = Net(*layers).double()
    rng = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.randn(p.shape, generator=rng, dtype=torch.float64) / 3)
    return net


def by_method(model, loss, x, y):
    return loss(model.half(x), y)


def by_sum(model, loss, x, y):
    return F.cross_entropy(model(x), y, reduction="sum"), float(len(x))


def uneven_weights():
    weight = torch.tensor([1.0, 3.0, 0.2], dtype=torch.float64)
    return nn.CrossEntropyLoss(weight=weight, ignore_index=2)


SCENARIOS = {
    "batches of seven": dict(batch_size=7),
    "batches of two": dict(batch_size=2),
    "everything at once": dict(clip=0.1),
    "in pieces": dict(batch_size=7, accumulate=3, clip=0.5),
    "classes that weigh": dict(batch_size=7, loss=uneven_weights()),
    "in pieces that weigh": dict(batch_size=7, accumulate=4, loss=uneven_weights()),
    "sum and count": dict(batch_size=8, call=by_sum, optimizer=SGD),
    "a method and a penalty": dict(batch_size=8, call=L2Penalty(0.01, by_method)),
    "a sum": dict(batch_size=8, loss=nn.CrossEntropyLoss(reduction="sum"), optimizer=SGD),
}


def run(sharding: str = "ddp", *, net: Net | None = None, steps: int = 12, **options):
    net = network() if net is None else net
    how = {"loss": F.cross_entropy, "optimizer": ADAM, "rng": 5, "data": data()} | options
    history = fit(net, **how, steps=steps, sharding=sharding)
    return history, net


def outcome(sharding: str, **options) -> dict:
    history, net = run(sharding, **options)
    return {
        "losses": history.losses,
        "weights": torch.cat([p.detach().reshape(-1) for p in net.parameters()]).tolist(),
        "buffers": [b.tolist() for b in net.buffers()],
        "stopped": history.stopped,
        "metrics": {k: v for k, (_, v) in history.metrics.items()},
    }


def sentence(sharding: str, **options) -> str:
    try:
        run(sharding, **options)
    except CorollaryError as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def infinite_row(sharding: str, row: int) -> str:
    x, y = data(9)
    x[row] = torch.inf
    return sentence(sharding, data=(x, y), steps=2)


def given_back(sharding: str) -> bool:
    net = network()
    before, layer = list(net.parameters()), net.body[0]
    fit(net, data(), F.cross_entropy, ADAM, steps=1, sharding=sharding)
    same = all(p is q for p, q in zip(net.parameters(), before, strict=True))
    plain = type(net) is Net and not any("fsdp" in name for name in layer.__dict__)
    return same and plain and layer.weight is net.again and layer.weight.numel() == 35


def noise(sharding: str) -> list:
    seen = []
    net = network(nn.Dropout(0.5))
    net.body[2].register_forward_hook(lambda _, x, y: seen.append((y == 0).flatten().tolist()))
    fit(net, data(6), F.cross_entropy, ADAM, steps=2, sharding=sharding)
    return seen


def checkpoints(folder: Path, size: int, sharding: str) -> dict:
    """Go on from what others saved, and save for others."""
    found = {}
    for source in sorted(folder.glob("made by *")):
        if source.is_file():
            path = folder / f"{size} {sharding}, after {source.name}"
            if dist.get_rank() == 0:
                path.write_bytes(source.read_bytes())
            dist.barrier()
            keep = Checkpoint(path, resume=True, every=None)
            found[source.name] = outcome(sharding, batch_size=8, checkpoint=keep)
    run(
        sharding,
        batch_size=8,
        steps=5,
        checkpoint=Checkpoint(folder / f"made by {size} {sharding}"),
    )
    return found


def stop_on_the_last(loop) -> str | None:
    last = dist.get_rank() == dist.get_world_size() - 1
    return "this process has had enough" if last and loop.step == 4 else None


def together(folder: Path, sharding: str) -> dict:
    rank, size = dist.get_rank(), dist.get_world_size()
    found = {name: outcome(sharding, **how) for name, how in SCENARIOS.items()}
    found["checkpoints"] = checkpoints(folder, size, sharding)
    found["stopped by one"] = outcome(sharding, callbacks=[stop_on_the_last])
    found["not finite"] = [infinite_row(sharding, row) for row in (0, 8)]
    found["other data"] = sentence(sharding, data=data(38 + rank))
    found["taken"] = sentence(sharding, checkpoint=Checkpoint(folder / "taken"))
    net = network()
    found["ready optimizer"] = sentence(sharding, net=net, optimizer=ADAM(net.parameters()))
    found["lbfgs"] = sentence(sharding, optimizer=torch.optim.LBFGS)
    found["given back"] = given_back(sharding)
    found["noise"] = [noise(sharding), noise(sharding)]
    found["batchnorm"] = outcome(
        sharding,
        net=network(nn.BatchNorm1d(7, dtype=torch.float64)),
        batch_size=12,
        callbacks=[EarlyStopping(data(20), patience=2), Measure(every=3, norm=total)],
    )
    found["products"] = products()
    return found


def products() -> list:
    """Kernels of a wide network times vectors, on inputs of which there are many blocks."""
    net = infinite.network(infinite.Dense(), infinite.Relu(), infinite.Dense())
    x = data(700)[0]
    of_all = net.operator(x, shared=True) @ x
    of_some = net.operator(x[:300], x, which="nngp", shared=True) @ x
    return [float(of_all.norm()), *of_all[-1].tolist(), *of_some[-1].tolist()]


def total(net: nn.Module) -> torch.Tensor:
    return sum(p.detach().abs().sum() for p in net.parameters())


def main(folder: Path, rank: int, size: int) -> None:
    torch.set_num_threads(1)
    found = {}
    for count in range(size, 1, -1):  # with all processes, then without the last, ...
        if rank < count:
            dist.init_process_group(
                "gloo",
                init_method=f"file://{folder}/meet{count}",
                rank=rank,
                world_size=count,
                timeout=PATIENCE,
            )
            for sharding in ("ddp", "fsdp2"):
                found[f"{count} {sharding}"] = together(folder, sharding)
            dist.barrier()
            dist.destroy_process_group()
    (folder / f"{rank}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    os._exit(0)  # gloo's threads may abort the interpreter's own end: see train.launch.leave
