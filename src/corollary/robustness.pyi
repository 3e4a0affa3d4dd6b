from corollary.theory.robustness import APGD as APGD
from corollary.theory.robustness import FAB as FAB
from corollary.theory.robustness import FGSM as FGSM
from corollary.theory.robustness import FMN as FMN
from corollary.theory.robustness import IFGSM as IFGSM
from corollary.theory.robustness import PGD as PGD
from corollary.theory.robustness import Attack as Attack
from corollary.theory.robustness import AutoAttack as AutoAttack
from corollary.theory.robustness import BlackBoxAttack as BlackBoxAttack
from corollary.theory.robustness import CarliniWagner as CarliniWagner
from corollary.theory.robustness import DeepFool as DeepFool
from corollary.theory.robustness import InTurn as InTurn
from corollary.theory.robustness import Perturbed as Perturbed
from corollary.theory.robustness import RobustCurve as RobustCurve
from corollary.theory.robustness import flip_distance as flip_distance
from corollary.theory.robustness import robust_curve as robust_curve
from corollary.theory.robustness.certificates import Certifier as Certifier
from corollary.theory.robustness.certificates import LiveBounds as LiveBounds
from corollary.theory.robustness.certificates import Smoothed as Smoothed
from corollary.theory.robustness.certificates import certified_radius
from corollary.theory.robustness.certificates import lipschitz_certificate as lipschitz_certificate
from corollary.theory.robustness.certificates import prove as prove
from corollary.theory.robustness.certificates.branching import Decision as Decision
from corollary.theory.robustness.certificates.branching import decided as decided
from corollary.theory.robustness.certificates.lipschitz import (
    LipschitzCertificate as LipschitzCertificate,
)
from corollary.theory.robustness.certificates.proving import Proof as Proof
from corollary.theory.robustness.certificates.smoothing import Certified as Certified
from corollary.theory.robustness.risk import AdversarialRisk as AdversarialRisk
from corollary.theory.robustness.risk import adversarial_risk as adversarial_risk

radius = certified_radius
