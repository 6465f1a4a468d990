from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bilex.candidates.curve_plot import check_plot, plot_curve
from bilex.errors import MissingExtraError, SettingError
from candidates import scored_model

BEGINNINGS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF", ".SVG": b"<?xml"}


@pytest.mark.parametrize("ending", BEGINNINGS)
def test_the_curve_is_drawn_to_the_same_bytes(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib")
    found = scored_model().induce()
    paths = [tmp_path / f"{name}{ending}" for name in ("one", "two")]
    for path in paths:
        plot_curve(found, path)
    one, two = (path.read_bytes() for path in paths)
    assert one.startswith(BEGINNINGS[ending])
    assert one == two


def test_the_picture_says_what_it_shows(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot_curve(scored_model().induce(), tmp_path / "curve.svg")
    text = (tmp_path / "curve.svg").read_text(encoding="utf-8")
    for label in ("expected precision", "entries, the most probable first"):
        assert f"<!-- {label} -->" in text


@pytest.mark.parametrize("name", ["curve", "curve.jpeg", "curve.tsv"])
def test_other_endings_are_refused(name: str) -> None:
    with pytest.raises(SettingError, match=r"expected a name ending in \.svg, \.png, \.pdf"):
        check_plot(Path(name))


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bilex\[plots\]'"):
        check_plot(Path("curve.svg"))
