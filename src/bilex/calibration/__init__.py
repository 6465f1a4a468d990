"""How probabilities of candidates are learned, from seed pairs that were held out."""

from bilex.calibration.calibration_error import calibration_error
from bilex.calibration.calibrator import Calibrator
from bilex.calibration.cross_fitting import CrossFit
from bilex.calibration.held_out import HeldOutSeeds

__all__ = ["Calibrator", "CrossFit", "HeldOutSeeds", "calibration_error"]
