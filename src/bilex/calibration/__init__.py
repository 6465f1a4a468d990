"""How far a candidate can be trusted, learned from seed pairs that were held out."""

from bilex.calibration.calibrator import Calibration, Calibrator
from bilex.calibration.candidate_lists import Asked, Direction
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.feedback import ConfidentPairs, Feedback
from bilex.calibration.held_out import HeldOutSeeds
from bilex.calibration.judging import Ranked, rank_candidates
from bilex.calibration.quality import calibration_error, precision_area
from bilex.calibration.selection import CurvePoint
from bilex.calibration.storage import (
    CALIBRATION_FILES,
    plain_contents,
    read_calibration,
    write_calibration,
)

__all__ = [
    "CALIBRATION_FILES",
    "Asked",
    "Calibration",
    "Calibrator",
    "CandidateModel",
    "ConfidentPairs",
    "CurvePoint",
    "Direction",
    "Feedback",
    "HeldOutSeeds",
    "Ranked",
    "calibration_error",
    "plain_contents",
    "precision_area",
    "rank_candidates",
    "read_calibration",
    "write_calibration",
]
