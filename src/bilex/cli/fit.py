"""`bilex fit`: two vector files and seed pairs become a model folder."""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options, screen
from bilex.cli.help_text import add_command
from bilex.cli.loading import (
    load_lexicon,
    load_space,
    load_two_texts,
    match_vocabularies,
    note_coverage,
    note_search,
    note_size,
)
from bilex.cli.places import check_writable, warn_if_same
from bilex.cli.screen import command_line, note
from bilex.cli.verdict import Verdict, judge
from bilex.errors import SettingError
from bilex.progress import Stages

if TYPE_CHECKING:
    from bilex.inducer import LexiconInducer
    from bilex.model import TrainedModel
    from bilex.model.checkpoint import Checkpoint
    from bilex.values import Decisions, EmbeddingSpace, Lexicon, Progress, Round, RoundReport

EXAMPLES = (
    "bilex fit en.vec es.vec seeds.tsv -o en-es",
    "bilex fit en.vec.gz es.vec.gz seeds.xlsx -o en-es --limit 200000",
    "bilex fit en.vec es.vec -o en-es              # without seed pairs",
    "bilex fit en.vec es.vec seeds.tsv -o en-es-2 --decisions review.jsonl",
    "bilex fit en.txt es.txt seeds.tsv -o en-es    # from plain text",
    "bilex fit en.vec es.vec seeds.tsv -o en-es --preset procrustes --set retrieval.neighborhood=5",
)

INTERRUPTED = 130


class Mode(StrEnum):
    """How steps that have a choice of modes are taken."""

    fast = "fast"
    exact = "exact"


_METHOD, _MODEL = "Method", "Model folder"
_ANSWERED = 100_000**2  # pairs of words, up to which all words are translated after training

_READING, _FIT, _ANSWERS, _WRITING = "reading", "fit", "translating all words", "writing"
_LONG = ((_READING, 3), (_FIT, 85), (_ANSWERS, 11), (_WRITING, 1))  # about in percent of the time
_SHORT = ((_READING, 15), (_FIT, 60), (_ANSWERS, 22), (_WRITING, 3))  # without probabilities

_log = logging.getLogger(__name__)


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, fit, *EXAMPLES)


def fit(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE", help="Vectors of the source language, in any format, or plain text."
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="TARGET", help="Vectors of the target language, or plain text."),
    ],
    seeds: Annotated[
        Path | None,
        typer.Argument(
            metavar="SEEDS",
            help="Word pairs to learn from: CSV, TSV, a spreadsheet or another format. Without "
            "them, training starts from words that are spelled alike: see --start.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Model folder to write."),
    ] = ...,  # type: ignore[assignment]
    decisions: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            help="Decisions of reviewers, a log or a database of `bilex review`. Accepted pairs "
            "become seeds; rejected pairs are removed from the seeds and not learned from.",
            rich_help_panel=_METHOD,
        ),
    ] = None,
    decision_weight: Annotated[
        float,
        typer.Option(
            metavar="NUMBER",
            help="Weight of an accepted pair. A pair of SEEDS has the weight 1.",
            rich_help_panel=_METHOD,
        ),
    ] = 1.0,
    preset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Training method: a name that `bilex presets` lists, or a .toml file.",
            rich_help_panel=_METHOD,
        ),
    ] = "bilex",
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PART.KEY=VALUE",
            help="Change one setting of the preset. May be given several times. "
            "`bilex presets show NAME` lists the settings.",
            rich_help_panel=_METHOD,
        ),
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(
            metavar="fast|exact",
            help="exact computes every step as published, which is slow; fast reaches nearly the "
            "same map in fewer steps. By default, the mode of the preset.",
            rich_help_panel=_METHOD,
        ),
    ] = None,
    calibrate: Annotated[
        bool | None,
        typer.Option(
            "--calibrate/--no-calibrate",
            help="Learn the probability that an answer is right, from seed pairs held out of "
            "training. Takes about as long as training itself. By default, as the preset says.",
            rich_help_panel=_METHOD,
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How to start without seed pairs: auto, identical, convex or gromov. "
            "By default auto.",
            rich_help_panel=_METHOD,
        ),
    ] = None,
    answers: Annotated[
        bool | None,
        typer.Option(
            "--answers/--no-answers",
            help="Translate all words now and keep the answers in the model, so that translate and "
            "induce are fast. By default, for up to 10 billion pairs of words, such as 100,000 "
            "words of each language.",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    half: Annotated[
        bool,
        typer.Option(
            "--half",
            help="Store vectors with 16 bits per number: half the disk space.",
            rich_help_panel=_MODEL,
        ),
    ] = False,
    limit: options.Limit = None,
    lowercase: options.Lowercase = False,
    exact_case: options.ExactCase = False,
    columns: options.Columns = None,
    pair: options.Pair = None,
    unreviewed: options.Unreviewed = False,
    random_state: options.RandomState = 0,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue an interrupted run after its last full round."),
    ] = False,
    device: options.Device = "cpu",
    threads: options.Threads = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    search: options.Search = "auto",
    cache: options.Cache = None,
    no_cache: options.NoCache = False,
    as_json: options.Json = False,
) -> None:
    """Train a model from two vector files and seed pairs.

    The model is a folder. At the end, fit prints how many answers are right, if the method
    measures it, and which commands to run next.
    """
    options.use_threads(threads)
    from bilex.inducer import DEFAULT_START, LexiconInducer
    from bilex.model import check_output
    from bilex.model.folder import SEEDS_LEFT_OUT
    from bilex.text import is_text

    if (seeds is not None or decisions is not None) and start is not None:
        raise SettingError("--start is for training without seeds: leave out one of the two")
    if decisions is None and decision_weight != 1:
        raise SettingError("--decision-weight is for --decisions: give both")
    if seeds is None and (columns is not None or pair is not None or unreviewed):
        raise SettingError("--columns, --pair and --unreviewed are for a file of seeds: give one")
    if exact_case and seeds is None and decisions is None:
        raise SettingError("--exact-case is for seeds or --decisions: give one of them")
    tables = _tables(preset, assignments or [], mode, calibrate)
    inducer = LexiconInducer(
        tables,
        start=start or DEFAULT_START,
        device=device,
        random_state=random_state,
        memory=options.memory_bytes(memory),
        search=options.search_kind(search),
        any_case=not exact_case,
    )
    inducer.check()  # before minutes of reading
    check_output(output)
    check_writable(output)
    warn_if_same(source, target, consequence="every word will be translated into itself")
    folder = options.cache_folder(cache, no_cache)
    note_size((source, target), limit, inducer.search)
    lexicon = None
    if seeds is not None:
        lexicon = load_lexicon(
            seeds,
            lowercase=lowercase,
            columns=columns,
            unreviewed=unreviewed,
            list_at=output / SEEDS_LEFT_OUT,
            pair=pair,
        )
    reviewed = None if decisions is None else _decisions(decisions, decision_weight)
    with screen.whole("fit") as bar:
        stages = Stages(_LONG if "calibration" in tables else _SHORT, bar)
        stages.begin(_READING)
        if is_text(source) and is_text(target):
            spaces = load_two_texts(
                (source, target),
                _known_pairs(lexicon, reviewed),
                limit=limit,
                any_case=inducer.any_case,
                cache=folder,
                on_progress=stages.within(_READING),
            )
        else:
            first, second = (
                load_space(
                    path,
                    limit=limit,
                    lowercase=lowercase,
                    cache=folder,
                    on_progress=_half(stages, number),
                )
                for number, path in enumerate((source, target))
            )
            spaces = first, second
        note_search(inducer.search, spaces[0], spaces[1])
        if lexicon is not None and seeds is not None:
            lexicon = match_vocabularies(
                seeds.name, lexicon, spaces[0], spaces[1], any_case=inducer.any_case
            )
            lexicon = note_coverage(seeds.name, lexicon, spaces[0], spaces[1])
        model = _train(
            inducer,
            spaces,
            lexicon,
            output,
            stages,
            decisions=reviewed,
            resume=resume,
            answers=answers,
            half=half,
        )
    verdict = judge(model)
    _note_end(model, verdict, output)
    if as_json:
        about = {"model": str(output), "preset": preset}
        screen.json_result({**about, **model.to_dict(), **verdict.to_dict()})


def _tables(
    preset: str, assignments: list[str], mode: Mode | None, calibrate: bool | None
) -> dict[str, dict[str, object]]:
    from bilex.config import in_mode, load_preset, override

    tables = load_preset(preset)
    if mode is not None:
        tables = in_mode(tables, mode.value)
    if calibrate is False:
        for part in ("calibration", "feedback"):  # the second needs the first
            tables.pop(part, None)
    elif calibrate and "calibration" not in tables:
        tables["calibration"] = {"name": "held-out-seeds"}
    for assignment in assignments:
        tables = override(tables, assignment)
    return tables


def _decisions(place: str, weight: float) -> Decisions:
    """Read the decisions of reviewers."""
    from bilex.review.decisions import read_decisions

    found = read_decisions(place, weight=weight)
    note(
        f"decisions: {len(found.accepted):,} accepted pairs become seeds, "
        f"{len(found.rejected):,} pairs are rejected"
    )
    return found


def _known_pairs(seeds: Lexicon | None, decisions: Decisions | None) -> Lexicon | None:
    """Return the seeds with the pairs that reviewers accepted; None if there are none."""
    from bilex.values import Lexicon

    if decisions is None:
        return seeds
    known = decisions.added_to(seeds or Lexicon(()))
    return known if known.entries else None


def _train(
    inducer: LexiconInducer,
    spaces: tuple[EmbeddingSpace, EmbeddingSpace],
    lexicon: Lexicon | None,
    output: Path,
    stages: Stages,
    *,
    decisions: Decisions | None,
    resume: bool,
    answers: bool | None,
    half: bool,
) -> TrainedModel:
    """Train with a checkpoint after each round; an interrupt still leaves a model."""
    from bilex.alignment.training import TrainingInterrupted

    checkpoint = inducer.checkpoint(
        Path(f"{output.resolve()}.checkpoint"), spaces[0], spaces[1], lexicon, decisions
    )
    done = checkpoint.read(inducer.device) if resume else None
    if done is not None:
        note(f"continuing after round {done.number} of at most {done.total}")
    try:
        inducer.fit(
            spaces[0],
            spaces[1],
            lexicon,
            decisions=decisions,
            on_round=_watcher(checkpoint),
            resume=done,
            on_progress=lambda progress: stages.part(_FIT, progress),
        )
    except TrainingInterrupted as stop:
        inducer.model_.save(output)
        if stop.report.finished:
            advice = "with --resume" if checkpoint.path.is_file() else "again"
            note(
                f"interrupted: {output} is a model without probabilities; run the same command "
                f"{advice} to add them"
            )
        else:
            last = stop.report.rounds[-1].number if stop.report.rounds else done and done.number
            note(
                f"interrupted: {output} is the model after round {last}; run the same command with "
                "--resume to continue"
            )
        raise typer.Exit(INTERRUPTED) from None
    model = inducer.model_.in_half() if half else inducer.model_
    if answers is None:
        answers = len(model.source) * len(model.target) <= _ANSWERED
    if answers:
        model = model.with_answers(stages.within(_ANSWERS))
    stages.begin(_WRITING)
    model.save(output)
    checkpoint.remove()
    return model


def _half(stages: Stages, number: int) -> Progress:
    """Return a callback for the reading of the first or the second of two files."""
    return lambda done, total: stages.done(_READING, number * total + done, 2 * total)


def _note_end(model: TrainedModel, verdict: Verdict, output: Path) -> None:
    from bilex.model.folder import DOUBTFUL_SEEDS, SEEDS_LEFT_OUT

    seeds = model.contents.seeds.report
    if seeds is not None and seeds.left_out:
        note(
            f"{len(seeds.left_out):,} rows and pairs of the seeds are not used: see "
            f"{output / SEEDS_LEFT_OUT}"
        )
    report = model.report
    if report.doubtful_seeds:
        note(f"{output / DOUBTFUL_SEEDS} lists all seed pairs that look wrong")
    _log_ranking(model)
    more = report.calibration_seconds
    after = "" if more is None else f", probabilities learned in {more:.1f} s"
    note(f"trained in {report.seconds:.1f} s{after}")
    note("")
    for sentence in verdict.sentences():
        note(sentence)
    if verdict.held_out is None:
        note("How many answers are right was not measured. To measure it, use word pairs that are")
        note(f"not among the seeds: {command_line('evaluate', output, 'TEST.tsv')}")
    note("Next:")
    note(f"  {command_line('translate', output, 'WORD')}")
    note(f"  {command_line('induce', output, '-o', f'{output}.tsv')}")


def _log_ranking(model: TrainedModel) -> None:
    """Log the precision on held-out seeds before and after ranking by probability."""
    models = model.contents.candidate_models
    forward = None if models is None else models.forward
    if forward is None:
        return
    found = forward.report
    _log.info(
        "probabilities (%s, %s held-out words): P@1 %.1f %% by score, %.1f %% by probability; "
        "candidates are ranked by %s",
        forward.learner,
        found["words"],
        100 * float(str(found["p_at_1"])),
        100 * float(str(found["p_at_1_reordered"])),
        "probability" if forward.reorders else "score",
    )


def _watcher(checkpoint: Checkpoint) -> Callable[[Round, RoundReport], None]:
    def on_round(done: Round, found: RoundReport) -> None:
        checkpoint.write(done)
        facts = [f"{found.pairs:,} pairs", f"mean CSLS {found.mean_csls:.4f}"]
        if found.loss is not None:
            facts.append(f"loss {found.loss:.4f}")
        if found.transport_cost is not None:
            facts.append(f"transport cost {found.transport_cost:.4f}")
        rounds = f"round {found.number} of at most {found.total}"
        note(f"{rounds}: {', '.join(facts)}, {found.seconds:.0f} s")

    return on_round
