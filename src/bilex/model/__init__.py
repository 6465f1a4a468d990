"""A trained model: used, saved, resumed, described."""

from bilex.model.folder import ModelContents, check_output
from bilex.model.trained import CALIBRATED, TrainedModel

__all__ = ["CALIBRATED", "ModelContents", "TrainedModel", "check_output"]
