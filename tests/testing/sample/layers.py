from torch import nn


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(2, 32),
            nn.ReLU(),
        )

    def forward(self, x):
        return self.net(x)
