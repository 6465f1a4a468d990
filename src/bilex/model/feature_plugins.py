"""The features of a model that are not built in, made from its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bilex.candidates.features import FEATURES
from bilex.config import Tables, build_part

if TYPE_CHECKING:
    from bilex.candidates.features import Feature
    from bilex.candidates.model import CandidateModels


def feature_plugins(config: Tables) -> tuple[Feature, ...]:
    """Return the plugins that `features` of [calibration] lists."""
    if not config.get("calibration", {}).get("features"):
        return ()
    return tuple(getattr(build_part("calibration", config), "features", ()))


def check_features(models: CandidateModels, config: Tables) -> None:
    """Raise `ValueError` if nothing computes a feature of the models.

    Raises:
        UnknownPluginError: If the plugin of a feature is not installed.
    """
    known = {*FEATURES, *(name for plugin in feature_plugins(config) for name in plugin.names)}
    for model in (models.forward, models.backward):
        unknown = set() if model is None else set(model.features) - known
        if unknown:
            raise ValueError(f"nothing computes the features {', '.join(sorted(unknown))}")
