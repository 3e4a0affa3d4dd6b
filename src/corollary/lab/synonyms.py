"""Words that people search for, and where the catalogue says it in others.

A synonym leads to claims by name, because a statement need not have any word of it. The words are
those of practice, of newer papers and of American spelling.
"""

from collections import defaultdict

from corollary.registry import find

SYNONYMS: dict[str, str] = {
    "grokking": (
        "no_overfitting slow_direction singular_modes weight_decay_fixed_points descent_path"
    ),
    "delayed generalization": "slow_direction no_overfitting singular_modes",
    "overparameterization overparametrization overparameterized": (
        "double_descent min_norm_risk benign_overfitting trained_networks no_overfitting "
        "shortest_interpolator random_labels"
    ),
    "vanishing gradients vanishing gradient exploding gradients exploding gradient": (
        "gradient_depth state_gradient_bound orthogonal_recurrence born_dead kaiming "
        "constant_error_carousel long_lag"
    ),
    "dead relu dying relu dead units dead neurons": "born_dead threshold_gradient kaiming",
    "ntk neural tangent kernel": (
        "two_layer_ntk ntk_constancy ntk_convergence ntk_regression ntk_ensemble "
        "tangent_eigenvalues linearization_width"
    ),
    "lazy training lazy regime feature learning rich regime": (
        "linearisation_error ntk_constancy finite_beats_kernel linearization_width"
    ),
    "lottery ticket pruning sparsity compression": (
        "compression_bound maurey_lemma maurey_choice barron_greedy"
    ),
    "adversarial examples adversarial attack fgsm pgd": (
        "fgsm_gain single_step_flip iterated_fgsm projected_ascent linear_worst_case "
        "adversarial_training trained_robustness"
    ),
    "certified robustness verification randomized smoothing crown ibp": (
        "crown_and_intervals smoothing_radius certified_training lipschitz_margin "
        "certified_distance"
    ),
    "universal approximation": "cybenko hornik leshno relu_universal stone_weierstrass",
    "curse of dimensionality": "grid_curse grid_rate fixed_basis_rate barron_rate",
    "scaling law scaling laws power law neural scaling": (
        "grid_rate barron_rate barron_width critical_batch_size linear_interpolation_rate"
    ),
    "edge of stability sharpness learning rate too large": (
        "edge_of_stability edge_of_stability_adam gd_stability_threshold gd_quadratic"
    ),
    "catapult divergence diverges loss explodes nan": (
        "gd_stability_threshold edge_of_stability gd_quadratic"
    ),
    "learning rate stepsize": (
        "gd_stability_threshold gd_optimal_step descent_lemma sgd_floor robbins_monro "
        "edge_of_stability"
    ),
    "batch size gradient noise": (
        "critical_batch_size minibatch_variance progress_per_pass sgd_step batch_norm_noise"
    ),
    "adam adamw optimizer": "adam_first_step edge_of_stability_adam adagrad_units preconditioning",
    "momentum nesterov acceleration": "nesterov_rate nesterov_cost heavy_ball_speed",
    "implicit bias implicit regularization max margin": (
        "max_margin_direction slow_direction shortest_interpolator closest_interpolator "
        "growing_margin homogeneous_kkt singular_modes"
    ),
    "flat minima sharp minima loss landscape": (
        "pac_bayes_recipe edge_of_stability landscape_regimes baldi_hornik kawaguchi"
    ),
    "saddle points spurious minima local minima": (
        "degenerate_saddle baldi_hornik kawaguchi landscape_regimes second_order_conditions"
    ),
    "mode connectivity permutation symmetry model merging": (
        "hidden_unit_permutation landscape_regimes"
    ),
    "interpolation threshold benign overfitting bias variance": (
        "double_descent benign_overfitting tempered_overfitting catastrophic_overfitting "
        "bias_variance weak_features"
    ),
    "memorization random labels": "random_labels hopfield_capacity no_overfitting",
    "generalization bound pac-bayes pac bayes vc dimension rademacher": (
        "mcallester pac_bayes_theorem pac_bayes_recipe pac_bayes_vs_vc vc_bound rademacher_bound"
    ),
    "uniform convergence": "vc_bound union_bound erm_excess_risk uniform_limit",
    "initialization init xavier glorot he kaiming": (
        "xavier kaiming lecun orthogonal_depth gradient_depth born_dead"
    ),
    "mup maximal update parametrization hyperparameter transfer": (
        "ntk_parametrization two_layer_variance linearisation_error"
    ),
    "skip connections residual resnet": "residual_jacobian residual_identity depth_with_shortcuts",
    "batchnorm batch normalization layernorm layer normalization": (
        "batch_norm_scale batch_norm_moments batch_norm_direction batch_or_layer_norm "
        "layer_norm_alone"
    ),
    "dropout": "dropout_moments dropout_penalty dropout_geometric_mean dropout_linear_mean",
    "weight decay l2 regularization ridge": (
        "weight_decay weight_decay_shrinkage ridge_shrinkage early_stopping l2_landscape"
    ),
    "label smoothing knowledge distillation soft targets": (
        "label_smoothing distillation_gradient distillation_high_temperature"
    ),
    "data augmentation": "augmentation_invariance",
    "transformer self-attention attention": (
        "modern_hopfield_attention attention_equivariance attention_convex_hull "
        "softmax_saturation dot_product_variance causal_mask"
    ),
    "positional encoding rope": "positional_shift positional_distance",
    "associative memory hopfield energy based": (
        "hopfield_capacity hopfield_descent hopfield_transition modern_hopfield_one_step "
        "dense_memory_capacity"
    ),
    "rnn lstm gru recurrent state space model mamba": (
        "state_gradient_bound constant_error_carousel long_lag prefix_scan mingru_scan "
        "diagonal_recurrence stable_spectrum"
    ),
    "in-context learning length generalization": "length_generalization attention_gradient",
    "tokenization tokenizer bpe subword": "byte_pair_encoding unigram_likelihood wordpiece_lift",
    "sampling decoding beam search top-p nucleus temperature": (
        "nucleus_smallest top_k_frequencies greedy_beam_exhaustive wide_beam"
    ),
    "pretraining fine-tuning finetuning transfer learning bert": (
        "pretrain_then_finetune joint_pretraining masked_token_rates both_sides"
    ),
    "cnn convolution convolutional": (
        "shift_equivariance impulse_response convolution_commutes edge_filters "
        "receptive_field_growth"
    ),
    "equivariance invariance symmetry geometric deep learning": (
        "shift_equivariance graph_equivariance set_equivariance order_invariance symmetry_gain"
    ),
    "gnn graph neural network message passing oversmoothing over-smoothing oversquashing": (
        "oversmoothing oversmoothing_rate oversquashing message_passing_colours gcn_block_model"
    ),
    "deep sets point cloud pointnet": (
        "power_sum_embedding pointnet_critical_points latent_dimension order_invariance"
    ),
    "gaussian process nngp infinite width mean field": (
        "nngp_limit two_layer_normal ntk_parametrization random_feature_final gp_prior_samples"
    ),
    "random matrix spectrum of weights marchenko pastur spikes": (
        "marchenko_pastur spike_transition random_fourth_moment lower_edge"
    ),
    "autoencoder pca low rank lora": (
        "optimal_linear_autoencoder eckart_young bottleneck_rank autoencoder_dynamics "
        "factorization_optimum"
    ),
    "backpropagation autodiff automatic differentiation": (
        "backprop_correctness backprop_cost backpropagation_recursion bptt hessian_vector_product"
    ),
    "calibration proper scoring": "brier_score gibbs_inequality expectation_loss",
    "depth separation depth vs width expressivity linear regions": (
        "telgarsky eldan_shamir montufar region_upper_bound pieces_depth zaslavsky"
    ),
    "manifold hypothesis intrinsic dimension": "intrinsic_dimension layerwise_unfolding",
    "interpretability feature visualization": "activation_atlas edge_filters",
    "early stopping": "early_stopping patience validation_loss_growth",
    "catastrophic forgetting continual learning": "hopfield_transition closest_interpolator",
    "ensemble ensembles uncertainty": "ntk_ensemble random_feature_final dropout_linear_mean",
}


def by_claim() -> dict[str, list[str]]:
    """For each claim, by its full name, the words that also lead to it."""
    found: dict[str, list[str]] = defaultdict(list)
    for words, names in SYNONYMS.items():
        for name in names.split():
            found[find(name).name].append(words)
    return found
