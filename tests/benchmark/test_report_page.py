"""The whole report: a page that stands alone, and what lies beside it."""

from __future__ import annotations

import builtins
import math
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bilex.benchmark.report import write_report
from bilex.benchmark.report.markup import Markup, element
from bilex.benchmark.report.palette import DARK, LIGHT, looks
from bilex.errors import InputFileError, MissingExtraError, SettingError
from report_data import METHODS, make_failure, make_job, make_suite, write_jobs

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Checks that elements are nested, and gathers what tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    def having(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        wanted = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
        return [a for t, a in self.tags if t == tag and wanted.items() <= a.items()]

    @property
    def text(self) -> str:
        return " ".join(self.words)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of five methods, four directions, two numbers of seeds and a failure."""
    folder = tmp_path_factory.mktemp("report")
    jobs = [
        job
        for job in make_suite(failed=("ja-en", "pss-paper", 1000, 0))
        if {job["job"]["source"], job["job"]["target"]} <= {"en", "fr", "ja"}
        and job["job"]["seeds"] in (100, 1000)
    ]
    write_report(write_jobs(folder / "results", jobs), folder / "core.html")
    return folder / "core.html"


@pytest.fixture(scope="module")
def page(report: Path) -> Page:
    return Page(report.read_text(encoding="utf-8"))


@pytest.fixture
def _page_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the files of figures, which take longest."""
    monkeypatch.setattr("bilex.benchmark.report.writing.save_picture", lambda *_: None)


def test_the_page_stands_alone(report: Path, page: Page) -> None:
    text = report.read_text(encoding="utf-8")

    assert set(re.findall(r"\w+://[^\s\"'<]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text
    for _, attributes in page.tags:
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")


def test_ids_are_unique_and_links_lead_somewhere(page: Page) -> None:
    ids = Counter(a["id"] for _, a in page.tags if "id" in a)
    assert max(ids.values()) == 1
    for _, attributes in page.tags:
        link = attributes.get("href")
        assert link is None or link.removeprefix("#") in ids


def test_the_page_says_what_was_run(page: Page) -> None:
    assert "Benchmark report: core" in page.text
    assert "69 of 70" in page.text
    assert "bilex 0.1.0, python 3.12.4" in page.text
    assert "Scoring rules: vecmap." in page.text
    sections = [a["id"] for a in page.having("section")]
    assert sections[:2] == ["summary", "precision"]
    drawn = {"learning-curves", "methods", "time", "frequency", "spelling", "hubness"}
    assert drawn <= set(sections)
    assert sections[-4:] == ["errors", "failures", "reading", "manifest"]


def test_words_cannot_become_markup(report: Path, page: Page) -> None:
    text = report.read_text(encoding="utf-8")

    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "the plan for <ja-en> & pss-paper did not converge" in page.text
    assert len(page.having("script")) == 1


def test_words_keep_their_language(page: Page) -> None:
    assert page.having("bdi", lang="ja")
    assert page.having("bdi", lang="fr")


def test_columns_are_sorted_by_buttons(page: Page) -> None:
    heads = page.having("th", scope="col")
    in_heads = page.having("button", type="button")

    assert heads
    assert len(in_heads) == len(heads)
    for box in page.having("div", role="region"):
        assert box["tabindex"] == "0"
        assert box["aria-label"]
    values = [cell["data-v"] for cell in page.having("td") if "data-v" in cell]
    assert all(value is not None and math.isfinite(float(value)) for value in values)


def test_filters_offer_what_there_is(page: Page) -> None:
    assert {a["name"] for a in page.having("select")} == {"pair", "seeds", "method"}
    values = {a["value"] for a in page.having("option")}
    assert values == {"", "100", "1000", *METHODS, "en→fr", "fr→en", "en→ja", "ja→en"}
    for name in ("data-pair", "data-seeds", "data-method"):
        assert {a[name] for _, a in page.tags if name in a} <= values


def test_figures_take_their_colors_from_the_page(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    drawings = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)

    assert len(drawings) > 12
    for drawing in drawings:
        ElementTree.fromstring(drawing)  # noqa: S314 - ours
        # Colors that are left are no text, no axis and no method.
        for color in re.findall(r"#[0-9a-fA-F]{6}\b", drawing):
            assert color.upper() not in {*LIGHT, "#000000", "#FFFFFF"}
        assert "var(--" in drawing


def test_the_page_knows_the_colors_of_methods(report: Path) -> None:
    text = report.read_text(encoding="utf-8")

    for number, colors in enumerate(zip(LIGHT, DARK, strict=True)):
        assert re.findall(rf"--series-{number}: (#\w+);", text) == [c.lower() for c in colors]
        assert f".c{number} {{ --c: var(--series-{number}) }}" in text


def test_tables_and_figures_lie_beside_the_page(report: Path) -> None:
    folder = report.with_name("core-tables")
    found = {path.name for path in folder.iterdir()}

    for name in ("p-at-1", "scores", "basis", "cost", "wins", "comparisons", "errors", "failures"):
        assert {f"{name}.md", f"{name}.tex", f"{name}.csv", f"{name}.parquet"} <= found
    for name in ("learning-curves", "methods", "time", "frequency", "spelling", "differences"):
        assert {f"{name}.svg", f"{name}.png"} <= found
    listed = (folder / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name.split('.')[0]}`" in listed for name in found - {"README.md"})
    assert not [path.name for path in report.parent.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_the_same_results_give_the_same_files(tmp_path: Path) -> None:
    jobs = [make_job("en-fr", method, 100, 0, n_words=20) for method in ("a", "b")]
    results = write_jobs(tmp_path / "results", jobs)

    for name in ("first", "second"):
        write_report(results, tmp_path / name / "report.html")

    files = sorted(p.relative_to(tmp_path / "first") for p in (tmp_path / "first").rglob("*.*"))
    assert len(files) > 40
    for path in files:
        assert (tmp_path / "first" / path).read_bytes() == (tmp_path / "second" / path).read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda job: None, id="complete"),
        pytest.param(lambda job: job.update(words=[]), id="without words"),
        pytest.param(lambda job: job.update(hubness=None, seconds=None), id="without measures"),
        pytest.param(lambda job: job["job"].update(seeds=0), id="without seeds"),
        pytest.param(lambda job: job.update(scores={}), id="without scores"),
        pytest.param(lambda job: job["job"].update(method="$<b>&\"'"), id="odd name"),
        pytest.param(lambda job: job.update(suite="<i>&"), id="odd suite"),
        pytest.param(lambda job: job["seconds"].update(fit=0.0), id="no time at all"),
    ],
)
@pytest.mark.usefixtures("_page_only")
def test_one_job_is_enough(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    job = make_job("en-fr", "a", 100, 0, n_words=12)
    change(job)
    write_report(write_jobs(tmp_path, [job]), tmp_path / "r.html")

    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))

    assert "Only one method was run" in page.text
    assert "No significant difference." in page.text


@pytest.mark.usefixtures("_page_only")
def test_missing_cells_are_dashes(tmp_path: Path) -> None:
    jobs = [
        make_job("en-fr", "a", 100, 0, n_words=12),
        make_job("en-ru", "b", 500, 0, n_words=12),
        make_failure("en-ru", "a", 100, 0),
        make_failure("en-ja", "c", 1000, 0),
    ]
    write_report(write_jobs(tmp_path, jobs), tmp_path / "r.html")

    table = (tmp_path / "r-tables" / "p-at-1.md").read_text(encoding="utf-8")

    assert re.search(r"\| 100 \| a \| [\d.]+ \| – \|", table)
    assert re.search(r"\| 500 \| b \| – \| [\d.]+ \|", table)


def test_more_methods_than_colors_still_look_different() -> None:
    given = looks(f"method-{number:02d}" for number in range(30))

    assert len({(look.color, look.marker, look.dash) for look in given.values()}) == 30
    assert len(LIGHT) == len(DARK) == len(set(LIGHT)) == len(set(DARK))


def test_nothing_done_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    write_jobs(tmp_path / "results", [make_failure("en-fr", "a", 100, 0)])

    with pytest.raises(InputFileError, match="none of 1 jobs is done"):
        write_report(tmp_path / "results", tmp_path / "out" / "r.html")
    assert not (tmp_path / "out").exists()


def test_the_report_must_be_an_html_file(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"expected a name that ends in \.html"):
        write_report(tmp_path, tmp_path / "report.pdf")


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    results = write_jobs(tmp_path, [make_job("en-fr", "a", 100, 0, n_words=5)])
    mine = tmp_path / "r-tables" / "thesis.tex"
    mine.parent.mkdir()
    mine.write_text("mine", encoding="utf-8")

    with pytest.raises(SettingError, match="was not made by a report"):
        write_report(results, tmp_path / "r.html")
    assert mine.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(("package", "extra"), [("matplotlib", "plots"), ("pyarrow", "scale")])
def test_a_missing_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, extra: str
) -> None:
    def absent(name: str, *args: object) -> object:
        if name == package:
            raise ImportError(name)
        return builtins.__import__(name)

    monkeypatch.setattr("bilex.registry.import_module", absent)

    with pytest.raises(MissingExtraError, match=rf"pip install 'bilex\[{extra}\]'"):
        write_report(tmp_path, tmp_path / "r.html")


def test_markup_escapes_all_that_is_not_markup() -> None:
    inside = element("b", "<&>")
    found = element("p", "a < b ", inside, None, class_="x", data_v='"', hidden=True, lang=None)

    assert found == '<p class="x" data-v="&quot;" hidden>a &lt; b <b>&lt;&amp;&gt;</b></p>'
    assert isinstance(found, Markup)


def test_markup_shows_control_characters_instead_of_obeying_them() -> None:
    found = element("td", "\x1b[31m a\u202eb", title="\x9b2J\u2066")

    assert found == r'<td title="\u009b2J\u2066">\u001b[31m a\u202eb</td>'
