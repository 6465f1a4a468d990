from __future__ import annotations

import pytest

from bilex.alignment.supervised import Procrustes
from bilex.errors import UnknownPluginError
from bilex.registry import KINDS, plugin_class, plugin_name, plugin_names
from bilex.retrieval import Csls


def test_every_kind_has_a_plugin_and_every_plugin_loads() -> None:
    for kind in KINDS:
        names = plugin_names(kind)
        assert names
        for name in names:
            assert plugin_class(kind, name).__doc__


def test_a_plugin_knows_its_name() -> None:
    assert plugin_name("retrieval", Csls()) == "csls"
    with pytest.raises(UnknownPluginError, match="not registered as a retrieval plugin"):
        plugin_name("retrieval", Procrustes())


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownPluginError) as caught:
        plugin_class("supervised", "procrustse")
    message = str(caught.value)
    assert "no supervised plugin is called 'procrustse' (did you mean 'procrustes'?)" in message
    assert "installed: " in message
