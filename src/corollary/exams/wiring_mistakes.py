"""Wiring mistakes that a repeated run reveals: axes, order, codes, memory, terms of the loss."""

from corollary.exams import axis_changes as axis
from corollary.exams import code_changes as codes
from corollary.exams import helping_conditions as when
from corollary.exams import loss_terms as terms
from corollary.exams import memory
from corollary.exams import order_changes as order
from corollary.exams.change import Change
from corollary.exams.helping_conditions import says

WIRING: tuple[Change, ...] = (
    Change(
        "moved axes",
        lambda t: bool(when.reshaped(t)),
        says("A reshape is used where a transpose is needed"),
        when.moved_axes,
        lambda t: f"Use permute or transpose in place of {when.reshaped(t)[0].op} to swap axes.",
        says("- h = h.view(n, time, channels)\n+ h = h.transpose(1, 2)"),
        lambda t: when.reshaped(t)[0].name,
        alike=True,
    ),
    Change(
        "ids as they are",
        when.ids_clamped,
        says("Token ids are clamped, so different ids become the same"),
        when.ids_meaning,
        says("Give the embedding as many rows as there are ids (the size of the vocabulary). "
             "Remove the clamp or the modulo operation."),
        says("- ids.clamp(max=3)\n+ ids"),
        alike=True,
    ),
    Change(
        "an output for each class",
        codes.one_output_for_classes,
        says("Classes are fitted as numbers"),
        lambda t: "One output has to predict the class number, 0 to "
            f"{(codes.class_count(t.subject.all_labelled().target) or 1) - 1}, so class 1 "
            "counts as lying between class 0 and class 2. With one output per class, the "
            "answers are better.",
        says("Give the network one output (logit) for each class and use "
             "nn.CrossEntropyLoss. The squared error is for numbers, whose order has a "
             "meaning."),
        says("- nn.Linear(width, 1), nn.MSELoss()\n+ nn.Linear(width, classes), "
        "nn.CrossEntropyLoss()"),
        when.last,
        alike=True,
    ),
    Change(
        "a vector for each code",
        codes.reads_codes,
        says("Categories are read as numbers"),
        codes.coded_meaning,
        says("Encode categories with an nn.Embedding or as one-hot vectors, not as numbers."),
        says("- x = code.float()\n+ x = nn.Embedding(codes, width)(code)"),
    ),
    Change(
        "positions",
        lambda t: order.order_blind(t.subject),
        says("The network does not see the order of the tokens"),
        says("Tokens in a different order give the same answers, because attention and "
             "pooling ignore positions. With a positional encoding the network learns."),
        says("Add a positional encoding (or an embedding of positions) to the tokens of the "
        "sequence."),
        says("- h = tokens\n+ h = tokens + self.positions(torch.arange(length))"),
        alike=True,
    ),
    Change(
        "along another axis",
        axis.has_reductions,
        axis.title,
        axis.meaning,
        axis.advice,
        axis.diff,
    ),
    Change(
        "turned output",
        order.has_two_equal_axes,
        lambda t: f"Output and target do not match: {order.turned(t).how}",
        says("With the pixels of the output in the same order as those of the target (mask, "
            "labels), the network learns. An axis is transposed or flipped either in the "
            "output or in the target."),
        says("Keep the order of rows and columns (height, width) the same for input, output "
             "and target. Check transpose, permute and reshape, and how masks are loaded."),
        says("- out.transpose(-1, -2)\n+ out"),
        alike=True,
    ),
    Change(
        "gated layers",
        memory.forgets,
        says("A plain RNN forgets the start of its sequence"),
        memory.forgotten,
        says("Use nn.GRU or nn.LSTM (with a forget bias of 1 or more) instead of nn.RNN. "
            "Attention or shorter sequences also help. Without gates, gradients vanish over so "
            "many steps."),
        says("- nn.RNN(...)\n+ nn.GRU(...)"),
    ),
    Change(
        "other sign of a term",
        terms.below_zero,
        says("A term of the loss has the wrong sign"),
        lambda t: f"The loss falls from {t.run.start:.3g} to {t.run.end:.3g}, without bound. "
        f"Training increases term {terms.other_sign(t).number} of the "
        f"{terms.other_sign(t).terms} terms of the loss, but should decrease this "
        "term.",
        lambda t: f"Change the sign of term {terms.other_sign(t).number}. A divergence (KL) "
                  "or a penalty is added to the error, not subtracted.",
        says("- loss = error - term\n+ loss = error + term"),
        alike=True,
    ),
    Change(
        "lighter term",
        terms.nothing_learned,
        says("A term of the loss outweighs the error"),
        lambda t: f"Term {terms.lighter(t).number} of the {terms.lighter(t).terms} terms of the "
        "loss is so large that the answers are hardly better than a constant answer.",
        lambda t: f"Give term {terms.lighter(t).number} (divergence, KL, penalty, another "
                  "task) a weight of 0.01, or increase its weight slowly (warm-up, "
                  "annealing).",
        says("- loss = error + term\n+ loss = error + 0.01 * term"),
    ),
)  # fmt: skip
