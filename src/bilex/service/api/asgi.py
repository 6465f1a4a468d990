"""What the middleware of the API shares: types, the facts of a request, its route."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from bilex.service.api.problems import ProblemError, problem_response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_FACTS = "bilex.facts"


class Rule(NamedTuple):
    """A route.

    Attributes:
        route: As it stands in logs and metrics.
        scope: Of the keys that may use it; None for any key.
        is_public: Whether no key is needed.
        is_probe: Whether it is answered however busy the server is.
    """

    route: str
    scope: str | None = None
    is_public: bool = False
    is_probe: bool = False


RULES = (
    Rule("/v1/translate", "translate"),
    Rule("/v1/glossary", "glossary"),
    Rule("/v1/models"),
    Rule("/v1/lexicon/{pair}", "lexicon"),
    Rule("/v1/entry/{pair}/{word}", "lexicon"),
    Rule("/metrics", "metrics", is_probe=True),
    Rule("/healthz", is_public=True, is_probe=True),
    Rule("/readyz", is_public=True, is_probe=True),
    Rule("/openapi.json", is_public=True),
    Rule("/static/{file}", is_public=True),
    Rule("/docs"),
    Rule("/text"),
    Rule("/"),
)
OTHER = Rule("other")
"""All other addresses."""

_EXACT = {rule.route: rule for rule in RULES if "{" not in rule.route}
_BEGINNINGS = tuple((rule.route.partition("{")[0], rule) for rule in RULES if "{" in rule.route)


def rule_of(path: str) -> Rule:
    """Return the rule of an address."""
    found = _EXACT.get(path)
    if found is not None:
        return found
    return next((rule for start, rule in _BEGINNINGS if path.startswith(start)), OTHER)


@dataclass
class Facts:
    """What is known about a request.

    Attributes:
        identity: Its identity, in the answer and in the log.
        rule: Its route.
        key: The name of its key; empty without one.
    """

    identity: str
    rule: Rule
    key: str = ""


def set_facts(scope: Scope, facts: Facts) -> None:
    """Keep the facts of a request with it."""
    scope[_FACTS] = facts


def facts_of(scope: Scope) -> Facts:
    """Return the facts of a request."""
    found = scope.get(_FACTS)
    return found if isinstance(found, Facts) else Facts("", rule_of(scope["path"]))


def header(scope: Scope, name: bytes) -> bytes | None:
    """Return the first header of a name in lower case."""
    return next((value for key, value in scope["headers"] if key == name), None)


async def refuse(problem: ProblemError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with an error."""
    await problem_response(problem)(scope, receive, send)
