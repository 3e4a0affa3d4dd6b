import torch

from corollary.experiments.translations._captions import END, LENGTH, Vocabulary, translated
from corollary.experiments.translations.captions import Captions, without_padding

GERMAN = ["Ein Hund läuft.", "Ein T-Shirt.", "Ein Hund läuft im T-Shirt ."] * 2


def test_words_keep_umlauts_and_hyphens():
    assert {"läuft", "t-shirt"} <= set(Vocabulary(GERMAN).words)


def test_cutting_padding_off_changes_no_loss():
    known = Vocabulary(GERMAN)
    rows = known.rows(GERMAN)
    for kind in ("GRU", "transformer"):
        net = Captions(net=kind, width=8)._net(len(known.words), len(known.words), 0).eval()

        def loss(logits, target):
            return torch.nn.functional.cross_entropy(logits.mT, target, ignore_index=0)

        whole = loss(net(rows.ids, rows.ids, rows.lengths), rows.ids)
        batch = (rows.ids, rows.ids, rows.lengths, rows.ids)
        torch.testing.assert_close(without_padding(net, loss, *batch), whole)


def test_both_searches_end_at_the_end_or_at_the_longest_length():
    known = Vocabulary(GERMAN)
    rows = known.rows(GERMAN[:3])
    net = Captions(net="transformer", width=8)._net(len(known.words), len(known.words), 0).eval()
    with torch.no_grad():
        greedy, beam = translated(net, rows, 1), translated(net, rows, 3)
    assert len(greedy) == len(beam) == 3
    assert all(len(t) <= LENGTH and (END not in t[:-1]) for t in greedy + beam)
