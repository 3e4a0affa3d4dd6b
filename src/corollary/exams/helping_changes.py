"""Changes that may help, the smallest first, each with its meaning and its advice."""

from corollary.exams import helping_conditions as when
from corollary.exams import loss_changes as loss
from corollary.exams.change import Change
from corollary.exams.heads import RANGES
from corollary.exams.helping_conditions import says
from corollary.exams.wiring_mistakes import WIRING

CHANGES: tuple[Change, ...] = (
    *WIRING,
    Change(
        "minimised",
        loss.climbs,
        says("The optimizer maximises the loss"),
        says("With maximize=True every step increases the loss."),
        says("Use maximize=False, or maximise the negative of the loss."),
        says("- maximize=True\n+ maximize=False"),
    ),
    Change(
        "no penalty",
        loss.has_penalty,
        says("A penalty on the weights outweighs the error"),
        says("The loss has a term that depends on the weights alone (L1 or L2 regularisation), "
        "and it is so strong that it pulls the weights to zero."),
        says("Give the penalty a much smaller weight (1e-4 or less). The penalty is a sum "
             "over all weights, but the error is a mean over samples."),
        says("- loss = error + penalty\n+ loss = error + 1e-4 * penalty"),
    ),
    Change(
        "unscaled output",
        loss.shrinks_or_grows,
        lambda t: f"The outputs (logits) are multiplied by {loss.output_factor(t):.2g} at the end",
        says("A scale (temperature) this far from 1 also scales the gradient, so no usual "
        "learning rate works."),
        lambda t: f"Remove the factor: divide by a temperature near 1, not by "
        f"{1 / loss.output_factor(t):.3g}.",
        lambda t: f"- logits / {1 / loss.output_factor(t):.3g}\n+ logits",
        where=when.last,
    ),
    Change(
        "a bias",
        lambda t: loss.unbiased(t) is not None,
        says("The last layer has no bias"),
        says("Without a bias the outputs are 0 where the features are 0, so a mean other than 0 "
        "cannot be learned."),
        says("Give the last layer a bias (bias=True, the default)."),
        says("- nn.Linear(..., bias=False)\n+ nn.Linear(...)"),
        lambda t: found.name if (found := loss.unbiased(t)) else "",
    ),
    Change(
        "shuffled order",
        lambda t: t.subject.in_order and t.batch_size < t.subject.everything().size,
        says("The order of the samples keeps the network from learning"),
        says("The loader returns similar samples one after the other."),
        says("Shuffle the data: DataLoader(..., shuffle=True)."),
        says("- DataLoader(data, shuffle=False)\n+ DataLoader(data, shuffle=True)"),
    ),
    Change(
        "constant rate",
        lambda t: t.subject.recipe.scheduler is not None,
        says("The schedule lowers the learning rate too soon"),
        says("Because of when scheduler.step() is called, the learning rate becomes too "
             "small too soon, or never becomes large enough."),
        says("Call scheduler.step() once per epoch, not once per batch, or stretch the schedule "
        "over all steps of the training."),
        says("- scheduler.step()  # in the loop over batches\n+ scheduler.step()  # in the loop "
        "over epochs"),
    ),
    Change(
        "no weight decay",
        lambda t: when.setting(t, "weight_decay") > 0,
        says("Weight decay is too strong"),
        lambda t: f"A weight decay of {when.setting(t, 'weight_decay'):g} pulls the weights to "
        "zero faster than the loss moves them.",
        lambda t: f"Use a weight decay of at most {when.setting(t, 'weight_decay') / 1000:.1g}.",
        lambda t: f"- weight_decay={when.setting(t, 'weight_decay'):g}\n+ weight_decay=0",
    ),
    Change(
        "no dropout at the end",
        when.ends_in_dropout,
        says("Dropout on the output"),
        says("In training, dropout sets outputs to zero at random, so the outputs are right "
             "only by chance."),
        lambda t: f"Remove the dropout '{when.last(t)}' at the end: dropout belongs between "
        "hidden layers.",
        where=when.last,
    ),
    Change(
        "no dropout",
        when.dropped,
        says("Dropout keeps the network from learning"),
        says("The dropout rate is so high that too little of the signal is left."),
        when.most_dropped,
        where=lambda t: when.drops(t)[0].name if when.drops(t) else "",
    ),
    Change(
        "unfrozen",
        lambda t: bool(when.frozen(t)),
        says("Frozen layers keep the network from learning"),
        when.fixed_meaning,
        when.fixed_advice,
        where=lambda t: when.frozen(t)[0].rpartition(".")[0],
        faster=True,
    ),
    Change(
        "bare output",
        lambda t: when.last_op(t) in RANGES,
        lambda t: f"The {when.last_op(t)} at the end keeps the network from learning",
        lambda t: f"The last operation, a {when.last_op(t)}, limits the range of the outputs "
                  "or blocks the gradient.",
        lambda t: f"Remove the {when.last_op(t)} at the end and pass the raw output to the loss.",
        where=when.last,
    ),
    Change(
        "standardised inputs",
        when.wild_inputs,
        says("The scale of the inputs keeps the network from learning"),
        says("Features with very different scales or with means far from 0 make some "
             "directions of the loss much steeper than others."),
        says("Standardise each input feature: subtract its mean and divide by its standard "
        "deviation on the training set."),
        says("+ x = (x - x.mean(0)) / x.std(0)"),
    ),
    Change(
        "standardised targets",
        when.numbers,
        says("The scale of the targets keeps the network from learning"),
        says("The outputs start near 0, and the targets are far from 0."),
        says("Standardise the targets (subtract the mean, divide by the standard deviation) "
             "and scale the predictions back."),
        says("+ y = (y - y.mean(0)) / y.std(0)"),
    ),
    Change(
        "activations",
        lambda t: not when.has("relu", "tanh", "sigmoid", "gelu", "silu", "elu", "leaky_relu")(t),
        says("No activation between the layers"),
        says("Consecutive linear layers without an activation are equivalent to one linear layer."),
        says("Put an activation such as ReLU between the linear layers."),
        says("- x = self.layer(x)\n+ x = torch.relu(self.layer(x))"),
    ),
    Change(
        "rectifiers",
        when.has("sigmoid", "tanh"),
        says("Saturating activations keep the network from learning"),
        says("The slope of a sigmoid is at most 1/4, so the gradient vanishes with depth."),
        says("Use ReLU (or GELU) between hidden layers in place of sigmoid or tanh."),
        says("- torch.sigmoid(h)\n+ torch.relu(h)"),
    ),
    Change(
        "no momentum",
        lambda t: when.setting(t, "momentum") > when.USUAL,
        says("Momentum is too large"),
        lambda t: f"With a momentum of {when.setting(t, 'momentum'):g}, each step becomes "
            f"{1 / max(1 - when.setting(t, 'momentum'), 1e-06):.0f} times as long after some "
            "steps.",
        says("Use a smaller momentum (0.9), or a smaller learning rate."),
    ),
    Change(
        "ten times the rate",
        when.goes_down,
        says("The learning rate is too small"),
        says("The weights hardly move in so few steps."),
        lambda t: f"Use a learning rate of about {10 * when.rate(t):.1g}, or many more steps.",
        when.rate_diff(10),
    ),
    Change(
        "a hundred times the rate",
        when.goes_down,
        says("The learning rate is too small"),
        says("The weights hardly move in so few steps."),
        lambda t: f"Use a learning rate of about {100 * when.rate(t):.1g}, or many more steps.",
        when.rate_diff(100),
    ),
    Change(
        "ten thousand times the rate",
        when.hardly_moves,
        says("The learning rate is too small"),
        says("The weights hardly move in so few steps."),
        lambda t: f"Use a learning rate of about {1e4 * when.rate(t):.1g}, or many more steps.",
        when.rate_diff(1e4),
    ),
    Change(
        "a tenth of the rate",
        lambda t: True,
        says("The learning rate is too large"),
        says("Each step overshoots the minimum."),
        when.at(0.1),
        when.rate_diff(0.1),
    ),
    Change(
        "a hundredth of the rate",
        lambda t: True,
        says("The learning rate is too large"),
        says("Each step overshoots the minimum."),
        when.at(0.01),
        when.rate_diff(0.01),
    ),
    Change(
        "clipped gradients",
        lambda t: True,
        says("Some gradients are far too large"),
        says("In a few batches the gradient is so large that one step undoes the training so "
             "far."),
        says("Clip the gradient before each step: "
        "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)."),
        says("+ torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"),
    ),
    Change(
        "larger batches",
        lambda t: t.batch_size < 8,
        says("The batch size is too small"),
        lambda t: f"With {t.batch_size} samples per batch, a step is mostly noise.",
        says("Use batches of 32, or accumulate gradients over several batches."),
    ),
    Change(
        "cross-entropy",
        when.classes,
        says("The loss is not suited to classes"),
        says("With cross-entropy on logits the network learns."),
        says("Use nn.CrossEntropyLoss on the raw outputs (logits) with class numbers as targets."),
        says("+ loss = nn.CrossEntropyLoss()"),
    ),
    Change(
        "squared error",
        when.numbers_asked,
        says("The loss is not suited to regression"),
        says("With the mean squared error the network learns."),
        says("Use nn.MSELoss, and look for a term in your loss that outweighs the error."),
        says("+ loss = nn.MSELoss()"),
    ),
    Change(
        "fresh start",
        lambda t: True,
        says("The initial weights keep the network from learning"),
        says("With He initialisation of the weights and zero biases the network learns."),
        says("Draw the weights with variance 2 / fan-in (nn.init.kaiming_normal_) and start "
        "biases at zero."),
        says("+ nn.init.kaiming_normal_(layer.weight)\n+ nn.init.zeros_(layer.bias)"),
    ),
    Change(
        "plain Adam",
        when.owns_all,
        says("The optimizer is the problem"),
        lambda t: f"The network is trained with {t.run.optimizer}.",
        says("Use torch.optim.Adam with a learning rate of 0.001."),
        says("+ optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)"),
    ),
    Change(
        "more steps",
        when.short,
        says("Training ends too soon"),
        lambda t: f"After your {t.steps} steps the loss is still falling.",
        lambda t: f"Train for {4 * t.steps} steps or more, or with a larger learning rate.",
        lambda t: f"- steps={t.steps}\n+ steps={4 * t.steps}",
    ),
    Change(
        "wider layers",
        lambda t: True,
        says("The network is too small"),
        says("With four times as many units in its hidden layers (at least 32), the network "
        "learns."),
        says("Use more units (or channels) in the hidden layers."),
    ),
    Change(
        "standardised inputs",
        when.floats,
        says("The scale of the inputs keeps the network from learning"),
        says("Features with very different scales or with means far from 0 make some "
             "directions of the loss much steeper than others."),
        says("Standardise each input feature: subtract its mean and divide by its standard "
        "deviation on the training set."),
        says("+ x = (x - x.mean(0)) / x.std(0)"),
        faster=True,
    ),
)  # fmt: skip
