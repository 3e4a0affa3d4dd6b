import torch
from torch import nn
from torch.nn import functional as F

from corollary.experiments.characters._characters import continued, next_character_loss
from corollary.experiments.characters.gpt import start_like_gpt2
from corollary.models.transformers.gpt import GPT


def test_the_loss_is_the_mean_over_all_places():
    logits, target = torch.randn(3, 5, 7), torch.randint(7, (3, 5))
    by_hand = -logits.log_softmax(-1).gather(-1, target[..., None]).mean()
    torch.testing.assert_close(next_character_loss(logits, target), by_hand)


def test_text_is_continued_with_what_the_model_says_follows():
    class Next(nn.Module):
        def forward(self, tokens):
            return 100.0 * F.one_hot((tokens + 1) % 5, 5)

    assert continued(Next(), torch.tensor([2]), 6, 0).tolist() == [3, 4, 0, 1, 2, 3]


def test_the_last_layer_is_the_table_of_characters():
    net = GPT(11, 8, 2, 2, max_len=4, rng=0, dtype=torch.float32)
    start_like_gpt2(net, 0)
    assert net.head.W is net.embed.E
    ends = [net.blocks[0].mlp.outer.W, net.blocks[1].attention.W_o.W]
    assert all(p.std() < 0.015 < net.blocks[0].mlp.inner.W.std() for p in ends)
