"""A fleet on Ray: the results of one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.fleet import load_fleet, run_fleet
from bilex.jobs import InlineEngine, RayEngine
from fleet_data import fleet_text, write_fleet, write_languages

pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


def test_ray_gives_the_lexicons_of_one_process(tmp_path: Path) -> None:
    codes = ("en", "fr", "fi")
    fleet = load_fleet(write_fleet(write_languages(tmp_path, codes), fleet_text(codes)))
    ends = run_fleet(fleet, tmp_path / "ray", RayEngine(workers=1))
    run_fleet(fleet, tmp_path / "inline", InlineEngine())

    assert [end.done for end in ends] == [3, 2, 3]
    assert not ray.is_initialized()
    files = sorted((tmp_path / "ray" / "lexicons").rglob("*.parquet"))
    assert len(files) == 6
    for file in files:
        other = tmp_path / "inline" / file.relative_to(tmp_path / "ray")
        assert file.read_bytes() == other.read_bytes()
