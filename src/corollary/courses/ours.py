"""Three paths of our own: a question each, and the claims that answer it in order."""

from typing import NamedTuple


class Part(NamedTuple):
    """A step of the argument: what it is about, and the claims and exercises that carry it."""

    title: str
    words: str
    claims: str  # file names
    exercises: str = ""


class Path(NamedTuple):
    """A question and the parts of its answer."""

    name: str
    title: str
    about: str
    parts: tuple[Part, ...]


TRAIN = Path(
    "why-does-it-train",
    "Why does it train?",
    "A network has millions of parameters and a loss that is not convex, and yet gradient descent "
    "finds good parameters. This course goes from one exact gradient to networks of infinite "
    "width.",
    (
        Part(
            "One gradient, exactly",
            "Training begins with a gradient. Backpropagation computes the gradient exactly, at "
            "the cost of two forward passes, for any number of parameters.",
            "chain_rule backpropagation_recursion backprop_correctness backprop_cost",
        ),
        Part(
            "How far a step may go",
            "A gradient describes the loss only in a small neighbourhood, and the curvature says "
            "how small. If the learning rate is above 2 divided by the largest curvature, the "
            "loss goes up. Networks train right at this edge.",
            "quadratic_upper_bound descent_lemma gd_quadratic gd_stability_threshold "
            "edge_of_stability edge_of_stability_adam",
            "5.8.2",
        ),
        Part(
            "Convexity is not needed",
            "Small steps find a point with a small gradient of any smooth function. They find a "
            "minimum if the gradient is large wherever the loss is large. In linear networks "
            "every local minimum is global.",
            "gd_nonconvex gd_pl baldi_hornik kawaguchi degenerate_saddle landscape_regimes",
            "6.4.1",
        ),
        Part(
            "Signals through depth",
            "A gradient that shrinks or grows by a factor in every layer is useless. "
            "Initialisation and skip connections keep the gradient in range.",
            "forward_norm_growth kaiming born_dead gradient_depth residual_jacobian "
            "depth_with_shortcuts",
        ),
        Part(
            "Noise",
            "In practice nobody computes the whole gradient. A mini-batch is enough: far from the "
            "minimum its noise does little harm, and if all points can be fitted, the noise "
            "vanishes.",
            "minibatch_variance sgd_step sgd_nonconvex_rate sgd_interpolation critical_batch_size",
        ),
        Part(
            "Infinite width",
            "The features of a very wide network hardly change during training. So the network is "
            "a linear model in its parameters, and gradient descent on linear models is fully "
            "understood. Finite networks do better.",
            "linearization_order functional_flow ntk_convergence ntk_constancy ntk_regression "
            "finite_beats_kernel",
            "7.4.1",
        ),
    ),
)

GENERALISE = Path(
    "why-does-it-generalise",
    "Why does it generalise?",
    "A network that can fit random labels still predicts well on new data. This course goes from "
    "the error of a single function to certificates for trained networks.",
    (
        Part(
            "One function",
            "For a function that was chosen before the data, the error on a sample is the true "
            "error up to noise. For the best of many functions, the error on the sample is too "
            "optimistic.",
            "empirical_risk hoeffding union_bound erm_excess_risk",
        ),
        Part(
            "Counting is not enough",
            "Infinitely many functions can be counted by the labels they give to a sample. For "
            "networks this number is so large that the bound says nothing, and networks do fit "
            "random labels.",
            "growth_function sauer_shelah vc_bound network_vc_dimension random_labels",
        ),
        Part(
            "Norms and margins",
            "How well a class of functions fits noise depends on the size of its parameters, not "
            "on their number.",
            "symmetrisation rademacher_bound rademacher_linear rademacher_contraction "
            "ramp_loss_bound deep_relu_complexity",
            "8.5.1",
        ),
        Part(
            "Which of the perfect fits?",
            "If many solutions fit the data exactly, gradient descent chooses one of them: the "
            "solution of smallest norm for the squared loss, the solution with the largest margin "
            "for the logistic loss.",
            "shortest_interpolator closest_interpolator support_vector_kkt max_margin_direction "
            "homogeneous_kkt",
            "11.3.1",
        ),
        Part(
            "Past the threshold",
            "The risk has a peak where a model can just fit the data, and falls again with more "
            "parameters. Fitting noise can be harmless or catastrophic.",
            "bias_variance min_norm_risk square_conditioning double_descent trained_networks "
            "benign_overfitting catastrophic_overfitting",
        ),
        Part(
            "What the weights show",
            "Weights that have learned nothing have the spectrum of noise. A learned direction "
            "becomes visible in the spectrum when its strength exceeds a threshold, and such "
            "directions can be counted.",
            "marchenko_pastur spike_transition",
        ),
        Part(
            "A certificate",
            "PAC-Bayes gives a bound for the trained network, from its training data alone.",
            "change_of_measure pac_bayes_theorem mcallester pac_bayes_recipe pac_bayes_vs_vc",
        ),
    ),
)

TRUST = Path(
    "can-i-trust-it",
    "Can I trust it?",
    "A network is right on almost all data, but near almost every point there is an input on "
    "which it is wrong. This course explains what an attack shows, what a proof excludes, and how "
    "training can help.",
    (
        Part(
            "A small change, a wrong answer",
            "With many inputs, a linear model changes fast along its gradient. One step along the "
            "gradient is enough to flip the output of a random network.",
            "linear_worst_case fgsm_gain linear_flip flip_remainder gradient_norm single_step_flip",
        ),
        Part(
            "Robust networks exist",
            "There are robust networks for the same data, but standard training does not find "
            "them.",
            "single_step_size robust_network trained_robustness",
        ),
        Part(
            "Attacks bound from one side",
            "An attack that fails proves nothing. A defence that hides its gradient can be "
            "attacked without gradients.",
            "projected_ascent iterated_fgsm finite_differences random_directions "
            "linear_adversarial_risk",
        ),
        Part(
            "Proofs bound from the other side",
            "A certificate holds for every perturbation up to a given size, whatever the attack.",
            "operator_norm lipschitz_margin crown_and_intervals smoothing_radius",
            "1.7.1",
        ),
        Part(
            "Training for robustness",
            "The gradient of the worst-case loss is the gradient at the worst point. So a network "
            "can be trained against attacks, and against bounds.",
            "danskin adversarial_training certified_training",
        ),
        Part(
            "How often is it right, and does it know?",
            "Held-out data, compression or a prior give a bound on the error. A proper scoring "
            "rule rewards honest probabilities. None of these results covers inputs that are "
            "longer than the training inputs.",
            "hoeffding compression_bound pac_bayes_recipe brier_score length_generalization",
        ),
    ),
)

ALL = (TRAIN, GENERALISE, TRUST)
