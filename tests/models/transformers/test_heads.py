import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.data.sentence_pairs import nsp_pairs
from corollary.data.small_language import TAGS, documents, padded, tokenizer
from corollary.errors import InputError
from corollary.models.transformers.bert import MiniBERT
from corollary.models.transformers.heads import (
    IGNORED,
    QAHead,
    SequenceClassificationHead,
    TokenClassificationHead,
)
from corollary.train import fit

WORDS = tokenizer()
CLS, SEP = WORDS.vocabulary.id("[CLS]"), WORDS.vocabulary.id("[SEP]")


def some_sentences(n, seed=0):
    return [s for d in documents(n, 1, rng=generator(seed, "heads")) for s in d]


def adam(parameters):
    return torch.optim.Adam(parameters, lr=5e-3, fused=True)


def encoder():
    return MiniBERT(
        len(WORDS.vocabulary),
        1,
        16,
        heads=2,
        max_len=20,
        rng=generator(0, "bert"),
        dtype=torch.float32,
    )


def trained(task, data, steps=80, size=32):
    *inputs, target = data
    cut = 3 * len(target) // 4
    fit(task, tuple(t[:cut] for t in data), task.loss, adam, steps=steps, batch_size=size)
    with torch.no_grad():
        return task(*(t[cut:] for t in inputs)), target[cut:]


def test_only_the_first_position_has_a_direct_gradient():
    head = SequenceClassificationHead(8, rng=generator(0))
    hidden = torch.randn(4, 6, 8, generator=generator(1), dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(head.loss(head(hidden), torch.tensor([0, 1, 1, 0])), hidden)
    assert float(gradient[:, 0].abs().min()) > 0
    assert float(gradient[:, 1:].abs().max()) == 0


def test_sentiment_is_learned():
    sentences = some_sentences(400)
    ids, there = padded([[CLS, *WORDS.encode(s.text), SEP] for s in sentences])
    moods = torch.tensor([int(s.friendly) for s in sentences])
    task = encoder().with_head("classes", classes=2, rng=generator(1))
    logits, target = trained(task, (ids, torch.zeros_like(ids), there, moods), steps=50)
    assert float((logits.argmax(1) == target).float().mean()) > 0.95


def test_tags_are_learned_where_the_word_alone_does_not_tell():
    sentences = some_sentences(400, 1)
    ids, there = padded([[CLS, *WORDS.encode(s.text), SEP] for s in sentences])
    tags = [[IGNORED, *map(TAGS.index, s.tags), IGNORED] for s in sentences]
    labels, _ = padded(tags, IGNORED)
    task = encoder().with_head("tags", tags=len(TAGS), rng=generator(1))
    logits, target = trained(task, (ids, torch.zeros_like(ids), there, labels))
    counted = target != IGNORED
    assert float((logits.argmax(2) == target)[counted].float().mean()) > 0.97


def test_the_next_sentence_is_guessed_above_chance():
    corpus = [[s.text for s in d] for d in documents(400, 4, rng=generator(2, "heads"))]
    pairs = nsp_pairs(corpus, 2600, rng=generator(3, "heads"))
    rows = [([CLS, *WORDS.encode(p.first), SEP], [*WORDS.encode(p.second), SEP]) for p in pairs]
    ids, there = padded([a + b for a, b in rows])
    segments, _ = padded([[0] * len(a) + [1] * len(b) for a, b in rows])
    follows = torch.tensor([int(p.follows) for p in pairs])
    task = encoder().with_head("nsp", rng=generator(1))
    logits, target = trained(task, (ids, segments, there, follows), steps=150, size=64)
    assert float((logits.argmax(1) == target).float().mean()) > 0.6


def test_answers_are_found():
    """The question names a noun; the answer is the adverb and verb after it."""
    sentences = some_sentences(600, 4)
    rows, spans, passages = [], [], []
    for s in sentences:
        question = [CLS, WORDS.vocabulary.id(s.words[s.tags.index("NOUN")]), SEP]
        rows.append([*question, *WORDS.encode(s.text), SEP])
        spans.append([3 + s.tags.index("ADV"), 3 + s.tags.index("VERB")])
        passages.append([False] * 3 + [True] * len(s.words) + [False])
    ids, there = padded(rows)
    passage = padded(passages)[0].bool()
    task = encoder().with_head("qa", rng=generator(1))
    data = (ids, torch.zeros_like(ids), there, torch.tensor(spans))
    scores, target = trained(task, data)
    span = task.head.decode(scores, passage[3 * len(ids) // 4 :], max_length=4)
    assert float(((span.start == target[:, 0]) & (span.end == target[:, 1])).float().mean()) > 0.9


@torch.no_grad()
def test_padding_has_no_part_in_the_loss_of_tags():
    head = TokenClassificationHead(8, 3, rng=generator(0))
    hidden = torch.randn(2, 5, 8, generator=generator(1), dtype=torch.float64)
    labels = torch.tensor([[0, 1, 2, IGNORED, IGNORED], [2, 2, 0, 1, IGNORED]])
    loss = head.loss(head(hidden), labels)
    moved = hidden + 7.0 * (labels == IGNORED)[..., None]
    assert float(head.loss(head(moved), labels)) == pytest.approx(float(loss))
    parts = [
        nn.functional.cross_entropy(head(hidden)[i, : 3 + i], labels[i, : 3 + i]) for i in (0, 1)
    ]
    assert float(loss) == pytest.approx(float((3 * parts[0] + 4 * parts[1]) / 7))
    with pytest.raises(InputError, match="every token is ignored"):
        head.loss(head(hidden), torch.full((2, 5), IGNORED))


def test_question_tokens_are_no_answers():
    head = QAHead(8, rng=generator(0))
    scores = torch.zeros(1, 6, 2, dtype=torch.float64)
    scores[0, 1] = 50.0  # the question's own words have the largest scores
    passage = torch.tensor([[False, False, False, True, True, True]])
    span = head.decode(scores, passage)
    assert span.start.item() >= 3 and span.end.item() >= span.start.item()


def test_one_class_is_refused():
    with pytest.raises(InputError, match="two classes"):
        SequenceClassificationHead(8, 1, rng=generator(0))
    with pytest.raises(InputError, match="two tags"):
        TokenClassificationHead(8, 1, rng=generator(0))
