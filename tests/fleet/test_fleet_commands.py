"""`bilex fleet`: plan, run, status and report on the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from bilex.embeddings import load_embeddings
from bilex.errors import BilexWarning
from bilex.fleet import load_fleet, run_fleet
from bilex.fleet.folder import FleetFolder
from bilex.fleet.inputs import check_inputs
from bilex.fleet.links import find_links
from bilex.jobs import InlineEngine
from conftest_types import Bilex
from fleet_data import CALIBRATED, CODES, fleet_text, write_fleet, write_languages

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a fleet of four languages, one of them with a damaged file."""
    folder = write_languages(tmp_path_factory.mktemp("fleet"), (*CODES, "xx"), noise=0.25)
    (folder / "xx.vec").write_text("damaged")
    text = fleet_text((*CODES, "xx"), more=CALIBRATED)
    run_fleet(load_fleet(write_fleet(folder, text)), folder / "out", InlineEngine())
    return folder


def test_a_fleet_is_run_and_has_a_status(bilex: Bilex, tmp_path: Path) -> None:
    fleet = write_fleet(write_languages(tmp_path, ("en", "fr")), fleet_text(("en", "fr")))
    done = bilex("fleet", "run", str(fleet), "-o", "out", "--engine", "inline")

    assert done.code == 0
    assert "induce: 1 job, 1 done, 0 failed" in done.err
    assert "bilex fleet report out" in done.err
    status = bilex("fleet", "status", "out")
    assert status.out.splitlines() == [
        "prepare\t2 of 2 done",
        "align\t2 of 2 done",
        "induce\t1 of 1 done",
        "triangulate\t0 of 0 done",
    ]


def test_failures_are_listed_and_change_the_exit_code(bilex: Bilex, made: Path) -> None:
    again = bilex("fleet", "run", str(made / "FLEET.toml"), "-o", str(made / "out"))
    assert again.code == 1
    assert "induce: 4 jobs, 3 done, 0 failed, 1 wait for failed ones" in again.err
    assert "triangulate: 6 jobs, 3 done, 0 failed, 3 wait for failed ones" in again.err
    assert "repair the files and run again" in again.err
    status = bilex("fleet", "status", str(made / "out"))
    assert re.search(r"prepare\t4 of 5 done, 1 failed$", status.out, re.MULTILINE)
    assert re.search(r"align\t6 of 8 done, 2 wait for failed ones$", status.out, re.MULTILINE)
    assert re.search(r"triangulate\t3 of 6 done, 3 wait for failed", status.out)
    assert "failed: prepare xx: VectorFileError" in status.out
    stages = [
        json.loads(line)
        for line in bilex("fleet", "status", str(made / "out"), "--json").out.splitlines()
    ]
    assert [stage["done"] for stage in stages] == [4, 6, 3, 3]
    assert [(stage["blocked"], stage["missing"]) for stage in stages] == [
        (0, 0),
        (2, 0),
        (1, 0),
        (3, 0),
    ]
    assert stages[0]["failures"][0]["task"] == "xx"


def test_what_looks_wrong_in_an_alignment_is_a_warning_and_in_the_report(
    bilex: Bilex, tmp_path: Path
) -> None:
    write_languages(tmp_path, ("en", "fr", "fi"))
    lines = (tmp_path / "en-fr.tsv").read_text().splitlines()
    swapped = ["\t".join(reversed(line.split("\t"))) for line in lines]
    (tmp_path / "en-fr.tsv").write_text("\n".join([*swapped, "alone", "en70\tfr70"]) + "\n")
    fleet = write_fleet(tmp_path, fleet_text(("en", "fr", "fi")))
    done = bilex("fleet", "run", str(fleet), "-o", "out", "--engine", "inline")

    assert done.code == 0
    assert "warning: en-fr.tsv: not used: 1 row without a translation (line 61)" in done.err
    assert "warning: fr-en: the columns seem to be swapped: 60 pairs fit when rev" in done.err
    assert "warning: fr-en: the columns seem" in bilex("fleet", "status", "out").err
    found = json.loads(bilex("fleet", "status", "out", "--json").out.splitlines()[1])
    assert {each["task"] for each in found["warnings"]} == {"fr-en", "en-fr"}
    bilex("fleet", "report", "out", "-o", "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<b>fr</b>: the columns seem to be swapped; " in page
    assert "Best: " not in page  # mutual answers do not say which lexicon is best


def test_lexicons_of_another_fleet_in_the_folder_are_noticed(bilex: Bilex, tmp_path: Path) -> None:
    write_languages(tmp_path, ("en", "fr", "fi"))
    both = write_fleet(tmp_path, fleet_text(("en", "fr", "fi")))
    one = write_fleet(tmp_path, fleet_text(("en", "fr")), "one")
    run = ("fleet", "run", "-o", "out", "--engine", "inline")

    assert "not of this fleet" not in bilex(*run, str(both)).err
    assert (
        "not of this fleet (4: en-fi, fi-en, fi-fr, fr-fi): they stay" in bilex(*run, str(one)).err
    )


def test_files_are_looked_at_before_anything_runs(bilex: Bilex, tmp_path: Path) -> None:
    write_languages(tmp_path, ("en", "fr"))
    fleet = write_fleet(tmp_path, fleet_text(("en", "fr")))
    (tmp_path / "en-fr.tsv").write_text("alone\n")
    for command in (("run", "-o", "out"), ("plan",)):
        done = bilex("fleet", *command, str(fleet))
        assert (done.code, "en-fr.tsv" in done.err) == (2, True)
    (tmp_path / "en-fr.tsv").unlink()
    done = bilex("fleet", "plan", str(fleet))
    assert "en-fr.tsv: no such file, given as seeds of en-fr: check the path" in done.err
    (tmp_path / "fr.vec").unlink()
    done = bilex("fleet", "run", str(fleet), "-o", "out")
    assert "fr.vec: no such file, given as the vectors of [languages.fr]" in done.err
    assert not (tmp_path / "out" / "results").exists()


def test_languages_that_no_seeds_lead_to_are_noticed(tmp_path: Path) -> None:
    write_languages(tmp_path, ("en", "fr", "fi"))
    text = fleet_text(("en", "fr", "fi"), hub="fi").replace("fi-en", "en-fr")
    text = text.replace('fi-fr = "fi-fr.tsv"\n', "")
    fleet = load_fleet(write_fleet(tmp_path, text))
    with pytest.warns(BilexWarning, match="lead to the hub fi from en, fr: .* another hub: en, fr"):
        check_inputs(fleet, find_links(fleet))


def test_a_status_of_something_else_is_an_error(bilex: Bilex, tmp_path: Path) -> None:
    found = bilex("fleet", "status", str(tmp_path))
    assert (found.code, "is not the folder of a fleet" in found.err) == (2, True)
    (tmp_path / "fleet.json").write_text("{")
    assert "is not valid JSON" in bilex("fleet", "status", str(tmp_path)).err
    (tmp_path / "fleet.json").write_text('{"format": 0}')
    assert "another version of bilex" in bilex("fleet", "status", str(tmp_path)).err


def test_the_status_needs_neither_torch_nor_ray(made: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom bilex.fleet.status import fleet_status\n"
        f"fleet_status(Path({str(made / 'out')!r}))\nsys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603


def test_the_report_is_one_page_with_all_pairs(bilex: Bilex, made: Path, tmp_path: Path) -> None:
    done = bilex("fleet", "report", str(made / "out"), "-o", "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")

    assert done.code == 0
    assert page.count("<td") > 30
    assert not re.search(r'(src|href)="(?!#)', page)  # nothing is fetched
    for source in CODES:
        for target in CODES:
            if source != target:
                assert f"{source} → {target}: " in page
    assert "probabilities learned through the hub" in page
    assert "Cycle errors" in page
    assert "prepare failed" in page  # why xx is weak
    assert "$" not in re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)


def test_a_large_matrix_is_compact(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bilex.fleet.report.page import render_page
    from bilex.fleet.report.records import read_records

    monkeypatch.setattr("bilex.fleet.report.matrix.COMPACT", 3)
    monkeypatch.setattr("bilex.fleet.report.fleet_tables.MOST_LEXICONS", 5)
    page = render_page(read_records(made / "out"))
    assert "matrix good compact" in page
    assert "Lexicons, the 5 weakest" in page


def test_a_report_without_lexicons_or_with_a_wrong_name_is_an_error(
    bilex: Bilex, made: Path, tmp_path: Path
) -> None:
    wrong = bilex("fleet", "report", str(made / "out"), "-o", "r.pdf")
    assert (wrong.code, "ends in .html" in wrong.err) == (2, True)
    contents = FleetFolder(made / "out").read_contents()
    FleetFolder(tmp_path / "new").write_contents(contents)
    empty = bilex("fleet", "report", str(tmp_path / "new"))
    assert (empty.code, "has no finished lexicon" in empty.err) == (2, True)


def test_a_plan_prints_jobs_and_costs(
    bilex: Bilex, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("WORDS", 100), ("SEEDS", 40), ("QUERIES", 64), ("CANDIDATES", 256)):
        monkeypatch.setattr(f"bilex.fleet.measurement.{name}", value)
    small = write_fleet(made, fleet_text(CODES), "small")
    shown = bilex("fleet", "plan", str(small), "--nodes", "1,5", "--cores", "3")
    assert shown.code == 0
    assert "induce\t3\t" in shown.out
    assert "triangulate\t3\t" in shown.out
    assert "machines of 3 cores" in shown.out
    found = json.loads(bilex("fleet", "plan", str(small), "--json").out)
    assert [machine["nodes"] for machine in found["machines"]] == [1, 10, 100]
    assert found["hub"] == "en"
    wrong = bilex("fleet", "plan", str(small), "--nodes", "1,x")
    assert (wrong.code, "expected numbers of machines" in wrong.err) == (2, True)


def test_vectors_of_all_languages_are_written_in_one_space(
    bilex: Bilex, made: Path, tmp_path: Path
) -> None:
    done = bilex("fleet", "vectors", str(made / "out"), "-o", "aligned", "--limit", "50")
    assert done.code == 0
    files = sorted(path.name for path in (tmp_path / "aligned").iterdir())
    assert files == ["en.vec", "fi.vec", "fr.vec", "ru.vec"]  # xx failed
    assert "missing, because they are not aligned yet: xx; see" in done.err
    spaces = {name[:2]: load_embeddings(tmp_path / "aligned" / name) for name in files}
    for space in spaces.values():
        assert len(space) == 50
        torch.testing.assert_close(space.vectors.norm(dim=1), torch.ones(50), atol=1e-3, rtol=0)
    for one, other in (("fi", "ru"), ("fr", "en")):
        near = (spaces[one].vectors @ spaces[other].vectors.T).argmax(1)
        assert float((near == torch.arange(50)).float().mean()) > 0.3
    FleetFolder(tmp_path / "new").write_contents(FleetFolder(made / "out").read_contents())
    empty = bilex("fleet", "vectors", str(tmp_path / "new"), "-o", "aligned")
    assert (empty.code, "has no aligned language" in empty.err) == (2, True)
