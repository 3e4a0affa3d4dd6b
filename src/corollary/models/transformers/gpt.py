r"""Decoder-only transformer (GPT): the next token from all earlier ones.

.. math:: x^0=E_y+P,\qquad x^{\ell}=\operatorname{DecoderBlock}(x^{\ell-1}),\qquad
   p(y_{t+1}\mid y_{\le t})=\operatorname{softmax}(\operatorname{LN}(x^L_t)W) .

:source: Lucchi (2025), Foundations of Deep Learning, Sections 10.4.3 to 10.4.5; Radford, Wu, Child
    et al. (2019), "Language models are unsupervised multitask learners".
"""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.layer_norm import LayerNorm
from corollary.models.mlp import LinearLayer
from corollary.models.transformers.blocks import DecoderBlock
from corollary.models.transformers.embedding import TokenEmbedding
from corollary.models.transformers.reading import Continuation
from corollary.theory.seeding import as_generator
from corollary.theory.sequences.decoding.greedy import most_probable
from corollary.theory.sequences.decoding.next_token import Decoded, decode_stepwise
from corollary.theory.sequences.decoding.sampling import sample, sample_top_k, sample_top_p


class GPT(nn.Module):
    """Decoder blocks without cross-attention, from tokens to logits of the next one.

    Args:
        vocabulary: How many tokens there are.
        d_model: Numbers a position.
        heads: Of each attention.
        layers: How many blocks.
        d_ff: Width of the small networks; ``4 d_model`` when left out.
        positions: ``learned``, ``sinusoidal`` or ``none``.
        max_len: The longest sequence, for learned positions.
        norm: As in :class:`DecoderBlock`; with ``pre`` there is a last normalisation.
        phi: Activation of the small networks.
        dropout: Rate while training.
        fused: Use torch's fused attention kernel.
        rng: Draws the weights.
        dtype: Of the weights.

    Example:
        >>> net = GPT(10, 8, 2, 1, max_len=6, rng=torch.Generator().manual_seed(0))
        >>> net(torch.tensor([[3, 1, 4]])).shape
        torch.Size([1, 3, 10])
        >>> len(net.generate(torch.tensor([[3, 1]]), 4)[0].tokens)
        4

    :covers: transformer-decoder-block
    """

    def __init__(
        self,
        vocabulary: int,
        d_model: int = 32,
        heads: int = 2,
        layers: int = 1,
        *,
        d_ff: int | None = None,
        positions: str = "learned",
        max_len: int = 512,
        norm: str = "pre",
        phi: str | Callable[[Tensor], Tensor] = "gelu",
        dropout: float | int = 0.0,
        fused: bool = False,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        self.vocabulary = vocabulary
        self.embed = TokenEmbedding(
            vocabulary, d_model, positions, max_len=max_len, rng=rng, dtype=dtype
        )
        self.blocks = nn.ModuleList(
            DecoderBlock(
                d_model,
                heads,
                d_ff,
                cross_attention=False,
                norm=norm,
                phi=phi,
                dropout=dropout,
                fused=fused,
                rng=rng,
                dtype=dtype,
            )
            for _ in range(layers)
        )
        self.norm = LayerNorm(d_model, dtype=dtype) if norm == "pre" else nn.Identity()
        self.head = LinearLayer(d_model, vocabulary, rng=rng, dtype=dtype)

    def forward(
        self, tokens: Int[Tensor, "b t"], *, mask: Tensor | None = None
    ) -> Float[Tensor, "b t K"]:
        """Logits of the token after each of the given ones; ``mask`` for padding."""
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, mask=mask)
        logits: Tensor = self.head(self.norm(x))
        return logits

    @property
    def next_token(self) -> Continuation:
        """Log-probabilities of what follows each prefix of at least one token, for decoders.

        ``model.next_token(prefix)`` starts afresh; decoders read token by token, and remember.
        """
        return Continuation(self.embed, self.blocks, lambda x: self.head(self.norm(x)))

    def generate(
        self,
        prompt: Int[Tensor, "b t"],
        max_len: int,
        *,
        eos: int | None = None,
        k: int | None = None,
        p: float | int | None = None,
        temperature: float | int = 1.0,
        rng: int | Generator | None = None,
    ) -> list[Decoded]:
        """Continue each prompt: greedily, or by sampling if ``rng`` is given.

        Keys and values of earlier tokens are remembered, so that a token after t others costs
        O(t) operations beside the projections.

        Args:
            prompt: Token numbers, one prompt per row.
            max_len: The most tokens to append.
            eos: The token that ends a sequence.
            k: Sample among the k most probable tokens.
            p: Sample from the nucleus of mass p; not together with k.
            temperature: Of the sampling.
            rng: Seed or generator of the samples; without it the likeliest token is taken.
        """
        choose = _rule(k, p, temperature, None if rng is None else as_generator(rng))
        if prompt.ndim != 2:
            raise InputError(f"expected prompts of shape (n, length), got {tuple(prompt.shape)}")
        if prompt.shape[1] == 0:
            raise InputError("a GPT continues a prompt, so the prompt needs at least one token")
        mode = self.training
        try:
            return decode_stepwise(self.eval().next_token, choose, max_len, eos=eos, start=prompt)
        finally:
            self.train(mode)


def _rule(
    k: int | None, p: float | int | None, temperature: float | int, rng: Generator | None
) -> Callable[[Tensor], Tensor]:
    """How a token is chosen from log-probabilities."""
    if rng is None:
        if k is not None or p is not None or temperature != 1:
            raise InputError("k, p and temperature are for sampling, which needs rng=<seed>")
        return most_probable
    if k is not None and p is not None:
        raise InputError(f"expected k or p, not both, got k={k}, p={p}")
    if k is not None:
        return partial(sample_top_k, k=k, temperature=temperature, rng=rng)
    if p is not None:
        return partial(sample_top_p, p=p, temperature=temperature, rng=rng)
    return partial(sample, temperature=temperature, rng=rng)
