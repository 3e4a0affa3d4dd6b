"""Networks and losses that have an answer at every place of a sequence or a picture."""

from torch import Tensor, nn
from torch.nn import functional as F


class Speaker(nn.Module):
    """A recurrent network that gives logits of a token at each place."""

    def __init__(self, tokens: int, width: int = 48) -> None:
        super().__init__()
        self.token, self.rnn = nn.Embedding(tokens, width), nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, tokens)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.rnn(self.token(ids))[0])


class PlaceLoss(nn.Module):
    """Cross-entropy over all places but those with one label."""

    def __init__(self, ignored: int = -100) -> None:
        super().__init__()
        self.ignored = ignored

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=self.ignored)
