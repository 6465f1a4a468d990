"""`bilex fit`: two vector files and seed pairs become a model folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options, screen
from bilex.cli.loading import (
    load_lexicon,
    load_space,
    match_vocabularies,
    note_coverage,
    note_size,
)
from bilex.cli.screen import note, result
from bilex.errors import SettingError
from bilex.progress import Stages

if TYPE_CHECKING:
    from bilex.inducer import LexiconInducer
    from bilex.model import TrainedModel
    from bilex.model.checkpoint import Checkpoint
    from bilex.values import EmbeddingSpace, Lexicon, Progress, Round, RoundReport

EXAMPLE = "Example: `bilex fit en.vec fr.vec seeds.tsv -o en-fr --preset css-paper`"

INTERRUPTED = 130


class Mode(StrEnum):
    """How steps that have a choice of modes are taken."""

    fast = "fast"
    exact = "exact"


_ANSWERED = 100_000**2  # pairs of words, up to which answers are worked out beforehand

_READING, _FIT, _ANSWERS, _WRITING = "reading", "fit", "answers to all words", "writing"
_LONG = ((_READING, 3), (_FIT, 85), (_ANSWERS, 11), (_WRITING, 1))  # about in percent of the time
_SHORT = ((_READING, 15), (_FIT, 60), (_ANSWERS, 22), (_WRITING, 3))  # without probabilities


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(fit)


def fit(
    source: Annotated[
        Path, typer.Argument(help="Vectors of the source language, any format; or its text.")
    ],
    target: Annotated[Path, typer.Argument(help="Vectors or text of the target language.")],
    seeds: Annotated[
        Path | None,
        typer.Argument(
            help="Known word pairs: CSV, TSV, a spreadsheet, MUSE, JSONL, … Without: see --start."
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model folder to write.")] = ...,  # type: ignore[assignment]
    preset: Annotated[
        str, typer.Option(help="Method: see `bilex presets`, or a .toml file.")
    ] = "bilex",
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PART.KEY=VALUE", help="Change one setting; repeatable."),
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(
            help="exact takes every published step and is slow; fast goes the same way in fewer "
            "steps. As the preset says by default."
        ),
    ] = None,
    calibrate: Annotated[
        bool | None,
        typer.Option(
            help="Learn probabilities from held-out seeds, in about the time of one more fit and a "
            "minute for 5,000 seeds; as the preset says by default."
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(help="How to begin without seeds: auto, identical, convex, gromov."),
    ] = None,
    answers: Annotated[
        bool | None,
        typer.Option(
            help="Work out the answers to all words, so that translate takes no time and induce "
            "little; for up to 100,000 words of each language by default."
        ),
    ] = None,
    half: Annotated[
        bool,
        typer.Option("--half", help="Keep vectors with 16 bits a number: half the disk space."),
    ] = False,
    limit: options.Limit = None,
    lowercase: options.Lowercase = False,
    columns: options.Columns = None,
    pair: options.Pair = None,
    unreviewed: options.Unreviewed = False,
    random_state: options.RandomState = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on after the last finished round.")
    ] = False,
    device: options.Device = "cpu",
    threads: options.Threads = None,
    memory: options.Memory = options.DEFAULT_MEMORY,
    cache: options.Cache = None,
    no_cache: options.NoCache = False,
    as_json: options.Json = False,
) -> None:
    """Learn to translate from two vector files and seed pairs; write a model folder."""
    options.use_threads(threads)
    from bilex.inducer import DEFAULT_START, LexiconInducer
    from bilex.model import check_output
    from bilex.model.folder import SEEDS_LEFT_OUT

    if seeds is not None and start is not None:
        raise SettingError("--start is for training without seeds: leave out one of the two")
    if seeds is None and (columns is not None or pair is not None or unreviewed):
        raise SettingError("--columns, --pair and --unreviewed are for a file of seeds: give one")
    tables = _tables(preset, assignments or [], mode, calibrate)
    inducer = LexiconInducer(
        tables,
        start=start or DEFAULT_START,
        device=device,
        random_state=random_state,
        memory=options.memory_bytes(memory),
    )
    inducer.check()  # before minutes of reading
    check_output(output)
    folder = options.cache_folder(cache, no_cache)
    note_size((source, target), limit)
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
    with screen.whole("fit") as bar:
        stages = Stages(_LONG if "calibration" in tables else _SHORT, bar)
        stages.begin(_READING)
        spaces = [
            load_space(
                path,
                limit=limit,
                lowercase=lowercase,
                cache=folder,
                on_progress=_half(stages, number),
            )
            for number, path in enumerate((source, target))
        ]
        if lexicon is not None and seeds is not None:
            lexicon = match_vocabularies(seeds.name, lexicon, spaces[0], spaces[1])
            lexicon = note_coverage(seeds.name, lexicon, spaces[0], spaces[1])
        model = _train(
            inducer, spaces, lexicon, output, stages, resume=resume, answers=answers, half=half
        )
    _note_end(model, output)
    if as_json:
        found = {"model": str(output), "preset": preset, **model.to_dict()}
        result(json.dumps(found, ensure_ascii=False))


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


def _train(
    inducer: LexiconInducer,
    spaces: list[EmbeddingSpace],
    lexicon: Lexicon | None,
    output: Path,
    stages: Stages,
    *,
    resume: bool,
    answers: bool | None,
    half: bool,
) -> TrainedModel:
    """Train with a checkpoint after each round; an interrupt still leaves a model."""
    from bilex.alignment.training import TrainingInterrupted

    checkpoint = inducer.checkpoint(
        Path(f"{output.resolve()}.checkpoint"), spaces[0], spaces[1], lexicon
    )
    done = checkpoint.read(inducer.device) if resume else None
    if done is not None:
        note(f"going on after round {done.number} of {done.total}")
    try:
        inducer.fit(
            spaces[0],
            spaces[1],
            lexicon,
            on_round=_watcher(checkpoint),
            resume=done,
            on_progress=lambda progress: stages.part(_FIT, progress),
        )
    except TrainingInterrupted as stop:
        inducer.model_.save(output)
        if stop.report.finished:
            advice = "--resume" if checkpoint.path.is_file() else "fit again"
            note(f"interrupted: {output} holds the model without probabilities; {advice} for them")
        else:
            last = stop.report.rounds[-1].number if stop.report.rounds else done and done.number
            note(
                f"interrupted: {output} holds the model after round {last}; "
                "--resume goes on from it"
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


def _note_end(model: TrainedModel, output: Path) -> None:
    from bilex.model.folder import DOUBTFUL_SEEDS, SEEDS_LEFT_OUT

    seeds = model.contents.seeds.report
    if seeds is not None and seeds.left_out:
        note(
            f"{len(seeds.left_out):,} rows and pairs of the seeds are not used: see "
            f"{output / SEEDS_LEFT_OUT}"
        )
    report, models = model.report, model.contents.candidate_models
    if report.doubtful_seeds:
        note(f"all seed pairs that look wrong are in {output / DOUBTFUL_SEEDS}")
    forward = None if models is None else models.forward
    if forward is not None:
        found = forward.report
        order = "ranked by probability" if forward.reorders else "ranked by score"
        note(
            f"probabilities ({forward.learner}, {found['words']} held-out words): P@1 "
            f"{found['p_at_1']:.1%} by score, {found['p_at_1_reordered']:.1%} by probability; "
            f"{order}"
        )
    more = report.calibration_seconds
    after = "" if more is None else f", probabilities in {more:.1f} s"
    note(f"trained in {report.seconds:.1f} s{after}; try: bilex translate {output} WORD")


def _watcher(checkpoint: Checkpoint) -> Callable[[Round, RoundReport], None]:
    def on_round(done: Round, found: RoundReport) -> None:
        checkpoint.write(done)
        facts = [f"{found.pairs:,} pairs", f"mean CSLS {found.mean_csls:.4f}"]
        if found.loss is not None:
            facts.append(f"loss {found.loss:.4f}")
        if found.transport_cost is not None:
            facts.append(f"transport cost {found.transport_cost:.4f}")
        note(f"round {found.number} of {found.total}: {', '.join(facts)}, {found.seconds:.0f} s")

    return on_round
