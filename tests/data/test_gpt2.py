import pytest
import torch
from safetensors.torch import save_file

from corollary.data import gpt2
from corollary.errors import DataUnavailableError, InputError
from corollary.theory.sequences.embedding_table import token_embedding_table
from corollary.theory.sequences.tokenizers.characters import CharacterTokenizer

TEXT = "Like a fish out of water, like a cat in the water. Grüße! " * 3


@pytest.fixture
def a_small_gpt2(tmp_path, monkeypatch):
    """A folder in the layout of GPT-2's, with a vocabulary of 300 and 8 numbers per token."""
    hf = pytest.importorskip("tokenizers")
    peer = hf.Tokenizer(hf.models.BPE())
    peer.pre_tokenizer = hf.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = hf.trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<|endoftext|>"],
        show_progress=False,
        initial_alphabet=hf.pre_tokenizers.ByteLevel.alphabet(),
    )
    peer.train_from_iterator([TEXT], trainer)
    (tmp_path / "gpt2").mkdir()
    peer.model.save(str(tmp_path / "gpt2"))
    table = torch.arange(300 * 8, dtype=torch.float32).reshape(300, 8)
    save_file({"wte.weight": table}, tmp_path / "gpt2" / "model.safetensors")
    monkeypatch.setenv("COROLLARY_DATA", str(tmp_path))
    return peer, table


def test_a_folder_of_gpt2_is_read_as_the_tokenizers_library_reads_it(a_small_gpt2):
    peer, table = a_small_gpt2
    tokenizer = gpt2.gpt2_tokenizer()
    for text in (TEXT, "a waterfall of fish\n\n  日本 out_of 3½"):
        assert tokenizer.encode(text) == peer.encode(text).ids
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert torch.equal(gpt2.gpt2_embeddings(), table)


def test_the_table_has_ids_norms_and_vectors_of_the_tokens(a_small_gpt2):
    peer, table = a_small_gpt2
    rows = token_embedding_table("Like a fish", gpt2.gpt2_embeddings(), gpt2.gpt2_tokenizer())
    assert [r.id for r in rows] == peer.encode("Like a fish").ids
    assert "".join(r.token for r in rows) == "Like a fish"
    for row in rows:
        assert torch.equal(row.vector, table[row.id])
        assert row.norm == pytest.approx(float(table[row.id].norm()))
    report = gpt2.embedding_report("Like a fish")
    assert report.startswith("GPT-2\nToken") and f"{rows[0].norm:.4f}" in report


def test_without_the_weights_the_experiment_says_that_it_is_skipped(monkeypatch):
    monkeypatch.delenv("COROLLARY_DATA", raising=False)
    first, second, head, *rows = gpt2.embedding_report("the cat loved the dog").splitlines()
    assert first.startswith("skipped: GPT-2 is not on this machine") and "COROLLARY_DATA" in first
    assert "small model" in second and head.split()[0] == "Token"
    assert len(rows) >= 1 and all(row.endswith(", ...]") for row in rows)


def test_the_numbers_of_table_10_2_are_those_of_gpt2():
    try:
        tokenizer, table = gpt2.gpt2_tokenizer(), gpt2.gpt2_embeddings()
    except DataUnavailableError as why:
        pytest.skip(str(why))
    rows = token_embedding_table(gpt2.SENTENCE, table, tokenizer)
    assert tuple(r.id for r in rows) == gpt2.IDS
    assert [r.norm for r in rows] == pytest.approx(list(gpt2.NORMS), abs=1e-3)


def test_a_damaged_folder_is_named(a_small_gpt2, tmp_path):
    (tmp_path / "gpt2" / "vocab.json").write_text("{}")
    with pytest.raises(DataUnavailableError, match="tokenizer of GPT-2"):
        gpt2.gpt2_tokenizer()
    (tmp_path / "gpt2" / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(DataUnavailableError, match="cannot be read"):
        gpt2.gpt2_embeddings()


def test_a_table_of_another_model_is_refused():
    with pytest.raises(InputError, match="only 2 rows"):
        token_embedding_table("a", torch.zeros(2, 3), CharacterTokenizer.train("abc"))
