"""Modules, data and losses for ``corollary examine``: sound, odd and harmful ones."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import torch
from torch import nn

number = 3
calls = []


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))


def data():
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(64, 2, generator=rng)
    return x, (x[:, 0] > 0).long()


def both():
    return net(), data()


def unbuildable():
    raise ValueError("cannot build\nat all")


def leaves():
    sys.exit(4)


def needs(width):
    return net()


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = net()

    def forward(self, x):
        calls.append(1)
        self.disturb()
        return self.net(x)

    def disturb(self):
        pass


class Chatty(Wrapped):
    def disturb(self):
        print("hello from forward")
        os.write(1, b"straight to the descriptor")


class Raises(Wrapped):
    def disturb(self):
        raise RuntimeError("no way\nsecond line")


class Hangs(Wrapped):
    def disturb(self):
        time.sleep(1000)


class Greedy(Wrapped):
    def disturb(self):
        torch.zeros(40_000_000_000)


class DiesAtOnce(Wrapped):
    def disturb(self):
        os._exit(7)


class DiesLater(Wrapped):
    def disturb(self):
        if len(calls) > 4:
            os._exit(7)


class GivesNothing(Wrapped):
    def forward(self, x):
        return None


class Forks(Wrapped):
    def disturb(self):
        os.fork()


class Leaves(Wrapped):
    def disturb(self):
        if len(calls) == 1:
            child = subprocess.Popen(["sleep", "600"])
            print("started", child.pid, flush=True)


class Interrupted(Wrapped):
    def disturb(self):
        if len(calls) > 20:
            os.kill(os.getppid(), signal.SIGINT)  # as Ctrl-C does: it reaches the parent alone
            time.sleep(1000)


def exploding():
    model = net()
    with torch.no_grad():
        model[0].weight[0, 0] = float("nan")
    return model, data()


def doubles():
    x, y = data()
    return x.double(), y.double()


def uneven():
    return torch.zeros(4, 2), torch.zeros(5)


def empty():
    return torch.zeros(0, 2), torch.zeros(0)


def wide():
    return torch.randn(64, 5), torch.randint(2, (64,))


def nothing():
    return None


def arrays():
    return np.random.randn(64, 2).astype("float32"), np.arange(64) % 2


def texts():
    return np.array(["a", "b"]), np.arange(2)


def breaks():
    yield data()
    raise OSError("disk gone")


def numbered_from_five():
    return data()[0], data()[1] + 5


def fractions():
    return data()[0], data()[1].double()


def whole():
    return torch.randint(5, (64, 2)), data()[1]


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.LazyLinear(2)

    def forward(self, x):
        return self.net(x)


def too_large():
    return nn.Linear(400_000, 400_000)


def vector_loss(output, target):
    return (output - 1) ** 2


def odd_loss(output, target):
    raise TypeError("does not fit")


def number_loss(output, target):
    return 3.0
