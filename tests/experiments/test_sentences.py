import torch

from corollary.experiments.sentences._words import PAD
from corollary.experiments.sentences.sentiment import Reader


def test_padding_changes_no_opinion():
    ids = torch.tensor([[3, 4, 5, 6, 7, 3], [4, 4, 7, 8, 9, 2]])
    longer = torch.cat([ids, torch.full((2, 5), PAD)], dim=1)
    for kind in ("bag of words", "CNN", "LSTM"):
        net = Reader(kind, 10, torch.Generator().manual_seed(0)).eval()
        torch.testing.assert_close(net(longer), net(ids))
