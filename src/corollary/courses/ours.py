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
    "A network has millions of parameters and a loss that is not convex, and yet gradient "
    "descent finds good parameters. From one exact gradient to networks of infinite width.",
    (
        Part(
            "One gradient, exactly",
            "Training begins with a derivative. Backpropagation computes it exactly, for the "
            "price of two forward passes, however many parameters there are.",
            "chain_rule backpropagation_recursion backprop_correctness backprop_cost",
        ),
        Part(
            "How far a step may go",
            "A gradient is a promise about a small neighbourhood. Curvature says how small. "
            "Beyond 2 over the largest curvature a step leads up, and networks train right at "
            "this edge.",
            "quadratic_upper_bound descent_lemma gd_quadratic gd_stability_threshold "
            "edge_of_stability edge_of_stability_adam",
            "5.8.2",
        ),
        Part(
            "Convexity is not needed",
            "Small steps find flat places of any smooth function, and minima where the gradient "
            "dominates the gap. In linear networks every local minimum is global.",
            "gd_nonconvex gd_pl baldi_hornik kawaguchi degenerate_saddle landscape_regimes",
            "6.4.1",
        ),
        Part(
            "Signals through depth",
            "A gradient that shrinks or grows by a factor in every layer is of no use. "
            "Initialisation and shortcuts keep it in range.",
            "forward_norm_growth kaiming born_dead gradient_depth residual_jacobian "
            "depth_with_shortcuts",
        ),
        Part(
            "Noise",
            "Nobody computes the whole gradient. A mini-batch is enough: far from the minimum "
            "its noise is cheap, and where all points can be fitted it vanishes.",
            "minibatch_variance sgd_step sgd_nonconvex_rate sgd_interpolation critical_batch_size",
        ),
        Part(
            "Infinite width",
            "A very wide network hardly moves its features while it trains: it is a linear model "
            "in its parameters, and gradient descent on linear models is fully understood. "
            "Finite networks do "
            "better.",
            "linearization_order functional_flow ntk_convergence ntk_constancy ntk_regression "
            "finite_beats_kernel",
            "7.4.1",
        ),
    ),
)

GENERALISE = Path(
    "why-does-it-generalise",
    "Why does it generalise?",
    "A network that can fit random labels predicts well on new data. From one function and a "
    "coin to certificates for trained networks.",
    (
        Part(
            "One function",
            "For a function that was chosen before the data, the error on a sample is the true "
            "error up to noise. For the best of many functions it is too optimistic.",
            "empirical_risk hoeffding union_bound erm_excess_risk",
        ),
        Part(
            "Counting is not enough",
            "Infinitely many functions can be counted by what they do on a sample. For networks "
            "the count is so large that the bound says nothing, and they do fit random labels.",
            "growth_function sauer_shelah vc_bound network_vc_dimension random_labels",
        ),
        Part(
            "Norms and margins",
            "Not the number of parameters but their size decides how well a class fits noise.",
            "symmetrisation rademacher_bound rademacher_linear rademacher_contraction "
            "ramp_loss_bound deep_relu_complexity",
            "8.5.1",
        ),
        Part(
            "Which of the perfect fits?",
            "Where many solutions fit the data exactly, gradient descent chooses one: the "
            "shortest for the squared loss, the one with the largest margin for the logistic loss.",
            "shortest_interpolator closest_interpolator support_vector_kkt max_margin_direction "
            "homogeneous_kkt",
            "11.3.1",
        ),
        Part(
            "Past the threshold",
            "The risk peaks where a model can just fit the data; with more parameters it falls "
            "again. Fitting noise can be harmless or catastrophic.",
            "bias_variance min_norm_risk square_conditioning double_descent trained_networks "
            "benign_overfitting catastrophic_overfitting",
        ),
        Part(
            "What the weights show",
            "Weights that have learned nothing have the spectrum of noise. What was learned "
            "shows as soon as it is stronger than a threshold, and can be counted.",
            "marchenko_pastur spike_transition",
        ),
        Part(
            "A certificate",
            "A bound for the network that was trained, from its training data alone.",
            "change_of_measure pac_bayes_theorem mcallester pac_bayes_recipe pac_bayes_vs_vc",
        ),
    ),
)

TRUST = Path(
    "can-i-trust-it",
    "Can I trust it?",
    "A network is right on almost all data and wrong next to almost every point. What an attack "
    "shows, what a proof excludes, and what training can do about it.",
    (
        Part(
            "A small change, a wrong answer",
            "Along its gradient a linear model changes fast when there are many inputs; one step "
            "is enough to flip a random network.",
            "linear_worst_case fgsm_gain linear_flip flip_remainder gradient_norm single_step_flip",
        ),
        Part(
            "It need not be so",
            "There are robust networks for the same data. Training does not find them.",
            "single_step_size robust_network trained_robustness",
        ),
        Part(
            "Attacks bound from one side",
            "An attack that fails proves nothing, and a defence that hides its gradient can be "
            "attacked without one.",
            "projected_ascent iterated_fgsm finite_differences random_directions "
            "linear_adversarial_risk",
        ),
        Part(
            "Proofs bound from the other",
            "A certificate holds for every perturbation up to a given size, whatever the attack.",
            "operator_norm lipschitz_margin crown_and_intervals smoothing_radius",
            "1.7.1",
        ),
        Part(
            "Training for it",
            "The gradient of a worst case is the gradient at the worst point: so one can train "
            "against it, and against bounds.",
            "danskin adversarial_training certified_training",
        ),
        Part(
            "How often is it right, and does it know?",
            "Held-out data, a compressed code or a prior give a bound on the error; a proper "
            "score rewards honest probabilities. None of this covers inputs longer than those "
            "seen in training.",
            "hoeffding compression_bound pac_bayes_recipe brier_score length_generalization",
        ),
    ),
)

ALL = (TRAIN, GENERALISE, TRUST)
