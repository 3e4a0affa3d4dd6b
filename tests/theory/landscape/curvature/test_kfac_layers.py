"""KFAC for sequences: convolutions, embeddings, normalisation and attention.

Each layer has a twin made of layers with older rules (a linear map of unit vectors, four linear
maps around a softmax), whose factors must be the same; and the exact Gauss-Newton matrix, by
double backpropagation, where a block is exact.
"""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature import Landscape, fisher, gauss_newton, kfac

CE, MSE, F64 = nn.CrossEntropyLoss(), nn.MSELoss(), torch.float64
WAYS = [
    (kind, sharing, corrected)
    for kind in ("gauss_newton", "empirical")
    for sharing in ("expand", "reduce")
    for corrected in (False, True)
]


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def tokens(*shape, size=6):
    return torch.randint(size, shape, generator=torch.Generator().manual_seed(1))


class Module(nn.Module):
    """A forward pass that is a function of the module and the input, with weights by a formula."""

    def __init__(self, rule, **children):
        super().__init__()
        self.rule = rule
        for name, child in children.items():
            setattr(self, name, child)
        self.double()
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                place = torch.arange(1, p.numel() + 1, dtype=F64)
                p.copy_(0.7 * torch.sin(place**1.5 + k).view(p.shape))

    def forward(self, x):
        return self.rule(self, x)


def gap(a, b):
    return float((a - b).norm() / b.norm())


def places(block):
    return torch.cat([torch.arange(place.start, place.stop) for place in block.places])


def exact_block(landscape, block, kind="gauss_newton"):
    G = gauss_newton(landscape) if kind == "gauss_newton" else fisher(landscape, "empirical")
    at = places(block)
    return G.dense()[at[:, None], at]


def own_block(K, block):
    at = places(block)
    return K.dense()[at[:, None], at]


# -- convolutions of one axis ---------------------------------------------------------------------


@pytest.mark.parametrize("kind, sharing, corrected", WAYS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 2, "padding": 1},
        {"dilation": 2, "padding": "same"},
        {"padding": 2, "padding_mode": "circular"},
    ],
    ids=str,
)
def test_a_convolution_of_one_axis_is_one_of_images_of_one_row(options, kind, sharing, corrected):
    def read(m, x):
        x = x if isinstance(m.conv, nn.Conv1d) else x[:, :, None]
        return torch.tanh(m.conv(x)).flatten(2).mean(2)

    both = {
        k: v if isinstance(v, str) else (0 if k == "padding" else 1, v) for k, v in options.items()
    }
    line = Module(read, conv=nn.Conv1d(2, 3, 3, **options))
    image = Module(read, conv=nn.Conv2d(2, 3, (1, 3), **both))
    data = draw(7, 2, 6), torch.arange(7) % 3
    K, other = (
        kfac(Landscape(net, CE, data), kind, sharing=sharing, corrected=corrected).dense()
        for net in (line, image)
    )
    assert torch.allclose(K, other, atol=1e-14)


# -- embeddings -----------------------------------------------------------------------------------


def table_and_matrix(x, size=6, **options):
    """An embedding, and a linear map of unit vectors with the same numbers, transposed."""
    read = lambda m, x: m.head(torch.tanh(m.table(x)).mean(1))  # noqa: E731
    table = Module(read, table=nn.Embedding(size, 4, **options), head=nn.Linear(4, 3))
    matrix = Module(read, table=nn.Linear(size, 4, bias=False), head=nn.Linear(4, 3))
    with torch.no_grad():
        matrix.table.weight.copy_(table.table.weight.T)
        for a, b in zip(matrix.head.parameters(), table.head.parameters(), strict=True):
            a.copy_(b)
    units = F.one_hot(x, size).double()
    if options:
        units[x == options["padding_idx"]] = 0  # no gradient reaches its row
    order = torch.arange(4 * size).view(4, size).T.flatten()  # of the matrix, row by row of tokens
    return table, matrix, units, torch.cat([order, torch.arange(4 * size, 4 * size + 15)])


@pytest.mark.parametrize("kind, sharing, corrected", WAYS)
def test_an_embedding_is_a_linear_map_of_unit_vectors(kind, sharing, corrected):
    x, y = tokens(8, 5), torch.arange(8) % 3
    table, matrix, units, order = table_and_matrix(x)
    options = {"sharing": sharing, "corrected": corrected}
    K = kfac(Landscape(table, CE, (x, y)), kind, **options)
    other = kfac(Landscape(matrix, CE, (units, y)), kind, **options)
    assert gap(K.dense(), other.dense()[order[:, None], order]) < 1e-10
    assert K.trace() == pytest.approx(other.trace(), rel=1e-12)
    assert (K.blocks[0].qa is None) == (sharing == "expand")


def test_an_embedding_of_one_token_before_linear_layers_with_squared_loss_is_exact():
    x = tokens(20)
    net = Module(lambda m, x: m.head(m.table(x)), table=nn.Embedding(6, 4), head=nn.Linear(4, 3))
    landscape = Landscape(net, MSE, (x, draw(20, 3)))
    K = kfac(landscape)
    for block in K.blocks:
        assert gap(own_block(K, block), exact_block(landscape, block)) < 1e-12


def test_the_row_of_the_padding_token_has_no_curvature():
    x, y = tokens(8, 5), torch.arange(8) % 3
    table, *_ = table_and_matrix(x, padding_idx=2)
    landscape = Landscape(table, CE, (x, y))
    for corrected in (False, True):
        K = kfac(landscape, corrected=corrected)
        assert not own_block(K, K.blocks[0])[8:12].any()
    assert K.trace() == pytest.approx(float(gauss_newton(landscape).dense().trace()), rel=1e-12)


def test_a_large_table_is_that_of_its_tokens_alone():
    """A matrix of 50 000 by 50 000 would not fit."""
    x, y = tokens(30, 7, size=50_000), torch.arange(30) % 2
    used, small = x.unique(return_inverse=True)
    read = lambda m, x: m.head(torch.tanh(m.table(x)).mean(1))  # noqa: E731
    large, few = (
        Module(read, table=nn.Embedding(size, 3), head=nn.Linear(3, 2))
        for size in (50_000, len(used))
    )
    with torch.no_grad():
        few.table.weight.copy_(large.table.weight[used])
        for a, b in zip(few.head.parameters(), large.head.parameters(), strict=True):
            a.copy_(b)
    K = kfac(Landscape(large, CE, (x, y)), corrected=True)
    other = kfac(Landscape(few, CE, (small, y)), corrected=True)
    at = torch.cat([(used[:, None] * 3 + torch.arange(3)).flatten(), 150_000 + torch.arange(8)])
    v = torch.zeros(K.size, dtype=F64).index_copy(0, at, draw(other.size))
    assert torch.allclose((K @ v)[at], other @ v[at], atol=1e-14)
    assert torch.allclose(K.inverse(0.1) @ (K @ v + 0.1 * v), v)


# -- normalisation --------------------------------------------------------------------------------


def normed(norm):
    rule = lambda m, x: m.last(torch.tanh(m.norm(m.first(x))).mean(1))  # noqa: E731
    return Module(rule, first=nn.Linear(4, 5), norm=norm, last=nn.Linear(5, 3))


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("kind", ["gauss_newton", "empirical"])
@pytest.mark.parametrize("norm", [nn.LayerNorm(5), nn.LayerNorm(5, bias=False), nn.RMSNorm(5)])
def test_blocks_of_a_normalisation_are_exact(norm, kind, joint):
    landscape = Landscape(normed(norm), CE, (draw(9, 6, 4), torch.arange(9) % 3))
    for options in ({}, {"sharing": "reduce"}, {"corrected": True}):
        K = kfac(landscape, kind, joint=joint, **options)
        blocks = [block for block in K.blocks if block.names[0].startswith("norm")]
        assert (
            len(blocks) == (1 if joint or norm.bias is None else 2) if hasattr(norm, "bias") else 1
        )
        for block in blocks:
            assert gap(own_block(K, block), exact_block(landscape, block, kind)) < 1e-12


def test_a_normalisation_over_two_axes_that_is_called_twice_is_exact():
    rule = lambda m, x: m.norm(torch.tanh(m.norm(x)) * x).flatten(1)[:, :3]  # noqa: E731
    landscape = Landscape(
        Module(rule, norm=nn.LayerNorm((2, 3))), CE, (draw(6, 2, 3), torch.arange(6) % 3)
    )
    K = kfac(landscape)
    assert gap(K.dense(), gauss_newton(landscape).dense()) < 1e-12


# -- attention ------------------------------------------------------------------------------------


def by_hand(m, query, key, value, heads, mask=None):
    """Attention of four linear layers."""
    q, k, v = (
        layer(x).unflatten(-1, (heads, -1)).transpose(1, 2)
        for layer, x in ((m.q, query), (m.k, key), (m.v, value))
    )
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    scores = scores if mask is None else scores.masked_fill(mask, -math.inf)
    return m.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


def attention_and_twin(*, cross=False, first=True, mask=None, **options):
    """nn.MultiheadAttention, and the same by four layers; x holds queries and keys."""

    def parts(x):
        return (x[:, :2, :4], x[:, 2:, :3], x[:, 2:, 1:4]) if cross else (x, x, x)

    def packed(m, x):
        q, k, v = parts(x) if first else (t.transpose(0, 1) for t in parts(x))
        z = m.attention(q, k, v, attn_mask=mask, need_weights=False)[0]
        return (z if first else z.transpose(0, 1)).mean(1)

    if cross:
        options |= {"kdim": 3, "vdim": 3}
    net = Module(packed, attention=nn.MultiheadAttention(4, 2, batch_first=first, **options))
    width = 3 if cross else 4
    bias = options.get("bias", True)
    twin = Module(
        lambda m, x: by_hand(m, *parts(x), 2, mask).mean(1),
        q=nn.Linear(4, 4, bias),
        k=nn.Linear(width, 4, bias),
        v=nn.Linear(width, 4, bias),
        out=nn.Linear(4, 4, bias),
    )
    a = net.attention
    weights = (
        [a.q_proj_weight, a.k_proj_weight, a.v_proj_weight] if cross else a.in_proj_weight.chunk(3)
    )
    with torch.no_grad():
        for layer, w in zip(
            (twin.q, twin.k, twin.v, twin.out), (*weights, a.out_proj.weight), strict=True
        ):
            layer.weight.copy_(w)
        if bias:
            biases = (*a.in_proj_bias.chunk(3), a.out_proj.bias)
            for layer, b in zip((twin.q, twin.k, twin.v, twin.out), biases, strict=True):
                layer.bias.copy_(b)
    return net, twin


CAUSAL = torch.ones(5, 5, dtype=torch.bool).triu(1)
CASES = {
    "self": {},
    "positions first": {"first": False},
    "causal": {"mask": CAUSAL},
    "cross": {"cross": True},
    "no bias": {"bias": False},
}


@pytest.mark.parametrize("name", CASES)
def test_attention_has_the_factors_of_four_linear_layers(name):
    net, twin = attention_and_twin(**CASES[name])
    data = draw(7, 5, 4), draw(7, 4)
    assert torch.allclose(net(data[0]), twin(data[0]), atol=1e-14)
    for kind, sharing, corrected in WAYS:
        options = {"sharing": sharing, "corrected": corrected, "joint": False}
        K = kfac(Landscape(net, MSE, data), kind, **options)
        other = kfac(Landscape(twin, MSE, data), kind, **options)
        assert len(K.blocks) == len(other.blocks)
        scale = 1e-12 * float(other.dense().norm())  # a shift of all keys has no effect at all
        for block, twins in zip(K.blocks, other.blocks, strict=True):
            a, b = own_block(K, block), own_block(other, twins)
            if corrected and twins.names[0].startswith("k."):  # in eigenvectors of rounding errors
                a, b = a.trace(), b.trace()
            assert torch.allclose(a, b, atol=scale)


def test_reduced_gradients_of_keys_vanish():
    """A shift of all keys changes no softmax, so their gradients sum to 0 over positions."""
    net, _ = attention_and_twin()
    K = kfac(Landscape(net, MSE, (draw(7, 5, 4), draw(7, 4))), sharing="reduce")
    traces = [float(own_block(K, block).trace()) for block in K.blocks]
    assert traces[1] < 1e-25 and min(traces[0], *traces[2:]) > 1e-3


def test_attention_for_one_example_of_one_position_is_exact():
    """Queries and keys have no effect there; values and outputs have."""
    net, _ = attention_and_twin()
    landscape = Landscape(net, MSE, (draw(1, 1, 4), draw(1, 4)))
    K = kfac(landscape)
    assert len(K.blocks) == 4
    for block in K.blocks[2:]:
        assert gap(own_block(K, block), exact_block(landscape, block)) < 1e-12
    assert not own_block(K, K.blocks[0]).any()


def encoder(first=True):
    layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=first)
    return Module(
        lambda m, x: m.head(m.layer(m.table(x)).mean(1)),
        table=nn.Embedding(6, 4),
        layer=layer,
        head=nn.Linear(4, 3),
    )


@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("sharing", ["expand", "reduce"])
def test_a_whole_transformer_layer_has_the_trace_of_the_exact_matrix(sharing, mode, snapshot):
    net = encoder()
    before = snapshot(net)
    landscape = Landscape(net, CE, (tokens(6, 5), torch.arange(6) % 3), mode=mode)
    E = kfac(landscape, sharing=sharing, corrected=True)
    assert E.size == sum(p.numel() for p in net.parameters())
    G = gauss_newton(landscape).dense()
    assert E.trace() == pytest.approx(float(G.trace()), rel=1e-10)
    K = kfac(landscape, sharing=sharing)
    blocks = torch.zeros_like(G)
    for block in K.blocks:
        at = places(block)
        blocks[at[:, None], at] = G[at[:, None], at]
    assert gap(E.dense(), blocks) < gap(K.dense(), blocks)
    eye = torch.eye(K.size, dtype=F64)
    assert torch.allclose(K.inverse(0.1).dense() @ (K.dense() + 0.1 * eye), eye, atol=1e-10)
    snapshot.same(before, snapshot(net))


def test_part_of_attention_is_enough():
    net, _ = attention_and_twin()
    data = draw(6, 5, 4), draw(6, 4)
    out = kfac(Landscape(net, MSE, data, parameters="attention.out_proj"))
    whole = kfac(Landscape(net, MSE, data))
    assert torch.allclose(out.dense(), own_block(whole, whole.blocks[-1]))
    bias = kfac(Landscape(net, MSE, data, parameters="attention.in_proj_bias"), joint=False)
    assert [block.names for block in bias.blocks] == [
        (f"attention.in_proj_bias of the {part}",) for part in ("query", "key", "value")
    ]


# -- the Conv1D of Hugging Face's transformers ----------------------------------------------------


class Conv1D(nn.Module):
    """As transformers has it: a linear layer whose weight is stored transposed."""

    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight, self.bias = nn.Parameter(torch.zeros(nx, nf)), nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        flat = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight)
        return flat.view(*x.shape[:-1], self.nf)


@pytest.mark.parametrize("kind, sharing, corrected", WAYS)
def test_a_layer_with_a_transposed_weight_is_a_linear_layer(kind, sharing, corrected):
    rule = lambda m, x: torch.tanh(m.layer(x)).mean(1)  # noqa: E731
    turned, plain = Module(rule, layer=Conv1D(3, 4)), Module(rule, layer=nn.Linear(4, 3))
    with torch.no_grad():
        plain.layer.weight.copy_(turned.layer.weight.T)
        plain.layer.bias.copy_(turned.layer.bias)
    data, options = (
        (draw(8, 5, 4), torch.arange(8) % 3),
        {"sharing": sharing, "corrected": corrected},
    )
    K, other = (kfac(Landscape(net, CE, data), kind, **options).dense() for net in (turned, plain))
    order = torch.cat([torch.arange(12).view(3, 4).T.flatten(), torch.arange(12, 15)])
    assert torch.allclose(K, other[order[:, None], order], atol=1e-13)


# -- other kinds, and what is refused -------------------------------------------------------------


def test_the_other_kinds_know_these_layers():
    landscape = Landscape(encoder(), CE, (tokens(6, 5), torch.arange(6) % 3))
    forward = kfac(landscape, "forward_only")
    share = torch.bincount(tokens(6, 5).flatten(), minlength=6) / 30
    expected = torch.kron(share.double().diag(), torch.eye(4, dtype=F64))
    assert torch.allclose(own_block(forward, forward.blocks[0]), expected)
    drawn = kfac(landscape, "sampled", samples=400, rng=torch.Generator().manual_seed(0))
    # traces of factors of 400 labels an example: a statistical error of some hundredths
    assert drawn.trace() == pytest.approx(kfac(landscape).trace(), rel=0.1)


@pytest.mark.parametrize(
    ("net", "match"),
    [
        (
            lambda: Module(lambda m, x: m.t(x).mean(1), t=nn.Embedding(6, 3, max_norm=1.0)),
            "t.weight belong",
        ),
        (
            lambda: Module(
                lambda m, x: m.t(x).mean(1) + m.p(torch.arange(5)).mean(0),
                t=nn.Embedding(6, 3),
                p=nn.Embedding(5, 3),
            ),
            "5 rows for 6 examples",
        ),
        (
            lambda: Module(
                lambda m, x: m.a(*[m.t(x)] * 3)[0].mean(1),
                t=nn.Embedding(6, 3),
                a=nn.MultiheadAttention(3, 1, batch_first=True, add_bias_kv=True),
            ),
            "a.bias_k, a.bias_v belong",
        ),
        (
            lambda: Module(
                lambda m, x: F.linear(m.t(x).mean(1), m.t.weight)[:, :3],
                t=nn.Embedding(6, 3),
                n=nn.BatchNorm1d(3),
            ),
            "n.weight, n.bias belong",
        ),
    ],
)
def test_what_has_no_rule_is_refused_by_name(net, match):
    with pytest.raises(NotApplicableError, match=match):
        kfac(Landscape(net(), CE, (tokens(6, 5), torch.arange(6) % 3)))
