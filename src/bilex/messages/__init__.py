"""What the supervised and the unsupervised side tell each other."""

from bilex.messages.lexicon_update import LEAST_WEIGHT, MutualPairs
from bilex.messages.prior_transport import CslsSoftmax, MapPrior

__all__ = ["LEAST_WEIGHT", "CslsSoftmax", "MapPrior", "MutualPairs"]
