import torch
from layers import Body
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Linear(32, 2)
        self.scale = nn.Parameter(torch.ones(2))
        self.out = nn.Softmax(dim=1)

    def forward(self, x):
        return self.out(self.scale * self.head(self.body(x)))


def data():
    x = torch.randn(64, 2, generator=torch.Generator().manual_seed(0))
    return x, (x[:, 0] > 0).long()


def build():
    torch.manual_seed(0)
    return Net(), data()


def healthy():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(2, 32),
        nn.ReLU(),
        nn.Sequential(nn.Linear(32, 8), nn.ReLU()),
        nn.Linear(8, 2),
    )
    return model, data()


def frozen():
    model, points = healthy()
    return model.requires_grad_(False), points


def refused():
    return Net(), torch.ones(4, 7)


model = Net()
