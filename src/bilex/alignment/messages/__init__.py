"""Messages between the supervised and the unsupervised step."""

from bilex.alignment.messages.lexicon_update import LEAST_WEIGHT, MutualPairs
from bilex.alignment.messages.prior_transport import CslsPrior, CslsSoftmax

__all__ = ["LEAST_WEIGHT", "CslsPrior", "CslsSoftmax", "MutualPairs"]
