"""The tables of a review database.

`events` is the truth and is only ever added to. In `words`, the columns from `state` on are a
projection of the events; so are `tallies` and `state_counts`. `priorities` and `leases` serve the
queue and may be lost. The tables from `accounts` on are for a team; of secrets they hold hashes
only. Text is compared by code point on every database.
"""

from __future__ import annotations

from bilex.review.alchemy import sa

HEAD = "0005"
"""The migration that this version of bilex works with."""

ENTRY = (
    "state",
    "opinions",
    "deciders",
    "doubt",
    "audited",
    "audited_model",
    "audited_chance",
    "changed",
    "entry",
)
"""Columns of `words` that are computed from its events."""

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

metadata = sa.MetaData()

project = sa.Table(
    "project",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),  # always 1
    sa.Column("title", _TEXT, nullable=False),
    sa.Column("source_language", _TEXT, nullable=False),
    sa.Column("target_language", _TEXT, nullable=False),
    sa.Column("model", _TEXT, nullable=False),
    sa.Column("seed", _TEXT, nullable=False),  # a Python int of any size
)

words = sa.Table(
    "words",
    metadata,
    sa.Column("word", _TEXT, primary_key=True),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("listed", sa.Boolean, nullable=False),  # False if it only has events
    sa.Column("shuffle", sa.BigInteger, nullable=False),  # place in the random order
    sa.Column("folded", _TEXT, nullable=False),  # for search
    sa.Column("candidates", _TEXT, nullable=False),
    sa.Column("chance", sa.Double),  # probability of the first candidate, if known
    sa.Column("state", _TEXT, nullable=False),
    sa.Column("opinions", sa.Integer, nullable=False),  # reviewers whose decision counts
    sa.Column("deciders", _TEXT, nullable=False),  # their names, each between two U+001F
    sa.Column("doubt", sa.Double, nullable=False, server_default="0"),  # about the only decision
    sa.Column("audited", _TEXT, nullable=False, server_default=""),  # `bilex.review.audit.Verdict`
    sa.Column("audited_model", _TEXT, nullable=False, server_default=""),
    sa.Column("audited_chance", sa.Double),
    sa.Column("changed", _TEXT, nullable=False),
    sa.Column("entry", _TEXT, nullable=False),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("arrival", _SERIAL, primary_key=True, autoincrement=True),
    sa.Column("id", _TEXT, nullable=False, unique=True),
    sa.Column("word", _TEXT, nullable=False),
    sa.Column("reviewer", _TEXT, nullable=False),
    sa.Column("at", _TEXT, nullable=False),
    sa.Column("kind", _TEXT, nullable=False),
    sa.Column("reason", _TEXT, nullable=False),
    sa.Column("batch", _TEXT, nullable=False),
    sa.Column("body", _TEXT, nullable=False),  # the event as a line of a log
    sqlite_autoincrement=True,
)

tallies = sa.Table(
    "tallies",
    metadata,
    sa.Column("day", _TEXT, primary_key=True),
    sa.Column("reviewer", _TEXT, primary_key=True),
    sa.Column("kind", _TEXT, primary_key=True),
    sa.Column("reason", _TEXT, primary_key=True),
    sa.Column("events", sa.Integer, nullable=False),
)

state_counts = sa.Table(
    "state_counts",
    metadata,
    sa.Column("state", _TEXT, primary_key=True),
    sa.Column("words", sa.Integer, nullable=False),  # listed ones
)

priorities = sa.Table(
    "priorities",
    metadata,
    sa.Column("policy", _TEXT, primary_key=True),
    sa.Column("word", _TEXT, primary_key=True),
    sa.Column("priority", sa.Double, nullable=False),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("waiting", sa.Boolean, nullable=False),  # open, or rejected and asked again
)

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("word", _TEXT, primary_key=True),
    sa.Column("reviewer", _TEXT, nullable=False),
    sa.Column("until", sa.Double, nullable=False),  # seconds since 1970
)

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("folded", _TEXT, primary_key=True),  # the name, by which accounts are told apart
    sa.Column("name", _TEXT, nullable=False),  # as `reviewer` in events
    sa.Column("role", _TEXT, nullable=False),
    sa.Column("password", _TEXT, nullable=False),  # a hash; empty if signing in is elsewhere
    sa.Column("active", sa.Boolean, nullable=False),  # False if the account was removed
    sa.Column("created", _TEXT, nullable=False),
)

identities = sa.Table(
    "identities",
    metadata,
    sa.Column("issuer", _TEXT, primary_key=True),
    sa.Column("subject", _TEXT, primary_key=True),  # the person's identifier at the issuer
    sa.Column("account", _TEXT, nullable=False),  # `accounts.folded`
)

invitations = sa.Table(
    "invitations",
    metadata,
    sa.Column("token", _TEXT, primary_key=True),  # a hash
    sa.Column("role", _TEXT, nullable=False),
    sa.Column("actor", _TEXT, nullable=False),  # who invites
    sa.Column("created", _TEXT, nullable=False),
    sa.Column("until", sa.Double, nullable=False),  # seconds since 1970
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("token", _TEXT, primary_key=True),  # a hash
    sa.Column("account", _TEXT, nullable=False),  # `accounts.folded`
    sa.Column("created", sa.Double, nullable=False),  # seconds since 1970
    sa.Column("seen", sa.Double, nullable=False),  # the last request, to a minute
)

attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("name", _TEXT, primary_key=True),  # what is counted
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("until", sa.Double, nullable=False),  # then counting starts again
)

security_log = sa.Table(
    "security_log",
    metadata,
    sa.Column("number", _SERIAL, primary_key=True, autoincrement=True),
    sa.Column("at", _TEXT, nullable=False),
    sa.Column("kind", _TEXT, nullable=False),
    sa.Column("account", _TEXT, nullable=False),  # the name of the account it is about
    sa.Column("actor", _TEXT, nullable=False),
    sa.Column("address", _TEXT, nullable=False),
    sa.Column("detail", _TEXT, nullable=False),
    sqlite_autoincrement=True,
)


def _index(name: str, *columns: sa.ColumnElement[object], where: str = "") -> sa.Index:
    if not where:
        return sa.Index(name, *columns)
    condition = sa.text(where)
    return sa.Index(name, *columns, sqlite_where=condition, postgresql_where=condition)


LOG_INDEXES = (
    _index("events_of_word", events.c.word),
    _index("events_of_reviewer", events.c.reviewer, events.c.at, events.c.id),
    _index("events_of_batch", events.c.batch, where="batch <> ''"),
    _index("words_by_rank", words.c.rank, words.c.word, words.c.folded),
    _index("words_by_state", words.c.state, words.c.rank, words.c.word, words.c.folded),
)
QUEUE_INDEXES = (
    _index("words_shuffled", words.c.shuffle, words.c.word, where="listed"),
    _index("words_for_audit", words.c.shuffle, words.c.word, where="listed AND state = 'open'"),
    _index(
        "words_with_one_opinion",
        words.c.doubt.desc(),
        words.c.shuffle,
        words.c.word,
        words.c.deciders,
        where="opinions = 1",
    ),
    _index("words_with_opinions", words.c.shuffle, words.c.word, where="opinions > 1"),
    _index("words_unaudited", words.c.shuffle, words.c.word, where="listed AND audited = ''"),
    _index(
        "words_audited",
        words.c.shuffle,
        words.c.word,
        words.c.audited,
        words.c.audited_model,
        words.c.audited_chance,
        where="listed AND audited <> ''",
    ),
    _index(
        "words_by_chance",
        words.c.rank,
        words.c.word,
        words.c.chance,
        words.c.shuffle,
        where="state = 'open'",
    ),
    _index("words_disputed", words.c.shuffle, words.c.word, where="state = 'disputed'"),
    _index("words_skipped", words.c.changed, words.c.word, where="state = 'skipped'"),
    _index(
        "priorities_waiting",
        priorities.c.policy,
        priorities.c.priority.desc(),
        priorities.c.rank,
        priorities.c.word,
        where="waiting",
    ),
    _index("priorities_of_word", priorities.c.word),
)
TEAM_INDEXES = (
    _index("sessions_of_account", sessions.c.account),
    _index("identities_of_account", identities.c.account),
)
