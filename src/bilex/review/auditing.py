"""The audit of a project, counted by the database: not one word is read.

The result is that of `Audit.of` on `ReviewStore.audit_sample`.
"""

from __future__ import annotations

from typing import Any

from bilex.review import audit
from bilex.review.alchemy import sa
from bilex.review.audit import Audit, Outcome
from bilex.review.bulk import words_by

# Conditions are written as in the indexes, so that the database recognizes them.
_SAMPLED = "words.listed AND words.audited <> ''"
_COUNTED = "words.audited IN ('right', 'wrong')"
_ORDER = "words.shuffle, words.word"


def count_audit(connection: sa.Connection, *, population: int | None, model: str) -> Audit:
    """Return the precision of first candidates on the audit sample.

    Args:
        connection: To the database.
        population: As in `Audit.of`.
        model: As in `Audit.of`.
    """
    values: dict[str, Any] = {"model": model}
    conditions = [_SAMPLED]
    end = connection.execute(
        _select(connection, "words_unaudited", "words.shuffle, words.word")
        .where(sa.text("words.listed AND words.audited = ''"))
        .order_by(sa.text(_ORDER))
        .limit(1)
    ).one_or_none()
    if end is not None:
        conditions.append("(words.shuffle, words.word) < (:shuffle, :word)")
        values |= {"shuffle": end[0], "word": end[1]}
    if model:
        conditions.append("(words.audited_model = :model OR words.audited = 'skipped')")
    sampled = sa.text(" AND ".join(conditions))
    drawn = (
        sa.select(
            sa.literal_column("words.audited", sa.Text).label("kind"),
            sa.literal_column("words.audited_chance", sa.Double).label("chance"),
        )
        .select_from(words_by(connection, "words_audited"))
        .where(sampled)
        .order_by(sa.text(_ORDER))
        .limit(audit.MOST_AUDITED)
        .subquery()
    )
    known_chances = (sa.func.count(drawn.c.chance), sa.func.sum(drawn.c.chance))
    kinds = sa.select(drawn.c.kind, sa.func.count(), *known_chances).group_by(drawn.c.kind)
    found = {
        kind: (number, known, chances or 0.0)
        for kind, number, known, chances in connection.execute(kinds, values)
    }
    nothing = (0, 0, 0.0)
    right, wrong = found.get("right", nothing), found.get("wrong", nothing)
    words, known = right[0] + wrong[0], right[1] + wrong[1]
    outcomes = connection.execute(
        _select(connection, "words_audited", "words.audited_chance, words.audited")
        .where(sampled, sa.text(_COUNTED))
        .order_by(sa.text(_ORDER))
        .limit(audit.MOST_OUTCOMES),
        values,
    )
    return Audit.counted(
        right=right[0],
        words=words,
        undecided=sum(found.get(kind, nothing)[0] for kind in ("disputed", "skipped")),
        believed=(right[2] + wrong[2]) / known if known and known == words else None,
        outcomes=[Outcome(chance, kind == "right") for chance, kind in outcomes],
        population=population,
    )


def _select(connection: sa.Connection, index: str, columns: str) -> sa.Select[Any]:
    return sa.select(sa.text(columns)).select_from(words_by(connection, index))
