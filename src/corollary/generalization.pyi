from corollary.theory.generalization.compression import code_length as code_length
from corollary.theory.generalization.compression import (
    compression_deviation as compression_deviation,
)
from corollary.theory.generalization.deep_relu import deep_relu_bound as deep_relu_bound
from corollary.theory.generalization.deep_relu import layer_norms as layer_norms
from corollary.theory.generalization.deviations import hoeffding_deviation as hoeffding_deviation
from corollary.theory.generalization.deviations import (
    hoeffding_probability as hoeffding_probability,
)
from corollary.theory.generalization.deviations import hoeffding_samples as hoeffding_samples
from corollary.theory.generalization.deviations import mcdiarmid_deviation as mcdiarmid_deviation
from corollary.theory.generalization.deviations import (
    mcdiarmid_probability as mcdiarmid_probability,
)
from corollary.theory.generalization.divergence import kl_bernoulli as kl_bernoulli
from corollary.theory.generalization.divergence import kl_gaussian as kl_gaussian
from corollary.theory.generalization.divergence import kl_gaussian_full as kl_gaussian_full
from corollary.theory.generalization.divergence import kl_inverse as kl_inverse
from corollary.theory.generalization.finite_class import erm_excess as erm_excess
from corollary.theory.generalization.finite_class import (
    finite_class_deviation as finite_class_deviation,
)
from corollary.theory.generalization.finite_class import (
    finite_class_probability as finite_class_probability,
)
from corollary.theory.generalization.gaussian_posterior import (
    kl_gaussian_posterior as kl_gaussian_posterior,
)
from corollary.theory.generalization.gaussian_posterior import optimal_lambda as optimal_lambda
from corollary.theory.generalization.kl_lower import kl_inverse_lower as kl_inverse_lower
from corollary.theory.generalization.linear_class import linear_complexity as linear_complexity
from corollary.theory.generalization.linear_class import (
    linear_complexity_bound as linear_complexity_bound,
)
from corollary.theory.generalization.pac_bayes import kl_bound as kl_bound
from corollary.theory.generalization.pac_bayes import mcallester_bound as mcallester_bound
from corollary.theory.generalization.pac_bayes import pac_bayes_risk as pac_bayes_risk
from corollary.theory.generalization.rademacher import massart_bound as massart_bound
from corollary.theory.generalization.rademacher import (
    rademacher_complexity as rademacher_complexity,
)
from corollary.theory.generalization.rademacher import rademacher_deviation as rademacher_deviation
from corollary.theory.generalization.risk import Gap as Gap
from corollary.theory.generalization.risk import Risk as Risk
from corollary.theory.generalization.risk import empirical_risk as empirical_risk
from corollary.theory.generalization.risk import generalization_gap as generalization_gap
from corollary.theory.generalization.risk import monte_carlo_risk as monte_carlo_risk
from corollary.theory.generalization.shattering import Shattered as Shattered
from corollary.theory.generalization.shattering import vc_dimension as vc_dimension
from corollary.theory.generalization.stability import divergence_bound as divergence_bound
from corollary.theory.generalization.stability import hardt_bound as hardt_bound
from corollary.theory.generalization.trade_off import best_lambda as best_lambda
from corollary.theory.generalization.trade_off import catoni_bound as catoni_bound
from corollary.theory.generalization.trade_off import lambda_bound as lambda_bound
from corollary.theory.generalization.trade_off import lambda_posterior as lambda_posterior
from corollary.theory.generalization.trade_off import minimised_catoni as minimised_catoni
from corollary.theory.generalization.vc import sauer_bound as sauer_bound
from corollary.theory.generalization.vc import vc_deviation as vc_deviation
from corollary.theory.generalization.vc import vc_dimension_deviation as vc_dimension_deviation
from corollary.theory.generalization.vc import vc_samples as vc_samples
from corollary.theory.generalization.vc_networks import Vacuity as Vacuity
from corollary.theory.generalization.vc_networks import relu_vc_upper as relu_vc_upper
from corollary.theory.generalization.vc_networks import vacuity as vacuity
from corollary.theory.generalization.vc_networks import vc_order as vc_order
from corollary.train.pac_bayes import Certificate as Certificate
from corollary.train.pac_bayes import GaussianPosterior as GaussianPosterior
from corollary.train.pac_bayes import holdout_bound as holdout_bound
from corollary.train.pac_bayes import pac_bayes_certificate
from corollary.train.pac_bayes import pac_bayes_train as pac_bayes_train

certificate = pac_bayes_certificate
