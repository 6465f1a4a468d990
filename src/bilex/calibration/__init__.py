"""Learn the probabilities of candidates from held-out seed pairs."""

from bilex.calibration.calibration_error import calibration_error
from bilex.calibration.calibrator import Calibrator
from bilex.calibration.cross_fitting import CrossFit
from bilex.calibration.held_out import HeldOutSeeds

__all__ = ["Calibrator", "CrossFit", "HeldOutSeeds", "calibration_error"]
