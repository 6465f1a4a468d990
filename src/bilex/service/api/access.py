"""Who may ask: keys, their scopes and rates, and requests of this computer."""

from __future__ import annotations

from bilex.service.api.asgi import App, Receive, Rule, Scope, Send, facts_of, header, refuse
from bilex.service.api.keys import Key, WatchedKeys
from bilex.service.api.problems import ProblemError
from bilex.service.api.rates import Rates, Taken, whole_seconds
from bilex.service.serving import is_loopback

_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via")
_ASK_FOR_KEY = {"WWW-Authenticate": "Bearer"}


class RequireKey:
    """Lets requests through that have a key for what they ask, and not too often.

    Args:
        app: The application.
        keys: The keys; None if none is needed.
        rates: Counts requests.
        local: The server is for programs on this computer only. Then the host that a request names
            has to be this computer, too: a page of another site, whose name was made to point
            here, could ask otherwise.
    """

    def __init__(self, app: App, keys: WatchedKeys | None, rates: Rates, *, local: bool) -> None:
        self._app, self._keys, self._rates, self._local = app, keys, rates, local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            added = self._admit(scope, facts_of(scope).rule)
        except ProblemError as problem:
            await refuse(problem, scope, receive, send)
            return

        async def send_with_headers(message: Scope) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self._app(scope, receive, send_with_headers if added else send)

    def _admit(self, scope: Scope, rule: Rule) -> list[tuple[bytes, bytes]]:
        """Return headers to add; raise `ProblemError` if the request is refused."""
        if self._local and not _names_this_computer(header(scope, b"host")):
            raise ProblemError(
                403, "wrong-host", "the host is not this computer: ask for localhost or 127.0.0.1"
            )
        if rule.is_public:
            return []
        if rule.scope == "metrics" and _comes_from_here(scope):
            return []
        if self._keys is None:
            if rule.scope == "metrics":
                raise ProblemError(
                    403, "not-for-you", "metrics are for this computer, or need a key"
                )
            return []
        key = self._key_of(scope)
        facts_of(scope).key = key.name
        if rule.scope is not None and rule.scope not in key.scopes:
            raise ProblemError(
                403, "not-for-this", f"the key is not for {rule.scope}: ask for one that is"
            )
        if key.rate is None:
            return []
        taken = self._rates.take(key.identity, key.rate)
        added = _rate_headers(key, taken)
        if not taken.allowed:
            raise ProblemError(
                429,
                "too-many-requests",
                f"the key may make {key.rate} requests: wait {whole_seconds(taken.wait)} s",
                {"Retry-After": str(whole_seconds(taken.wait))} | added,
            )
        return [(name.lower().encode(), value.encode()) for name, value in added.items()]

    def _key_of(self, scope: Scope) -> Key:
        given = header(scope, b"authorization")
        if given is None:
            raise ProblemError(
                401, "no-key", "this needs a key: send Authorization: Bearer KEY", _ASK_FOR_KEY
            )
        scheme, _, token = given.decode("latin-1").partition(" ")
        key = None
        if scheme.lower() == "bearer" and self._keys is not None:
            key = self._keys.current().find(token.strip())
        if key is not None:
            return key
        # A right key is let in always: those who share an address with a guesser need not suffer.
        client = scope.get("client")
        taken = self._rates.fail(client[0] if client else "")
        if not taken.allowed:
            wait = whole_seconds(taken.wait)
            raise ProblemError(
                429,
                "too-many-wrong-keys",
                f"too many wrong keys: wait {wait} s",
                {"Retry-After": str(wait)},
            )
        raise ProblemError(401, "unknown-key", "the key is not known: check it", _ASK_FOR_KEY)


def _rate_headers(key: Key, taken: Taken) -> dict[str, str]:
    if key.rate is None:
        return {}
    return {
        "RateLimit-Policy": f'"key";q={key.rate.limit};w={key.rate.seconds}',
        "RateLimit": f'"key";r={taken.left};t={whole_seconds(taken.wait)}',
    }


def _comes_from_here(scope: Scope) -> bool:
    """Return whether a request was made on this computer, and not passed on by a proxy here."""
    client = scope.get("client")
    is_direct = not any(name in _FORWARDED for name, _ in scope["headers"])
    return client is not None and is_direct and is_loopback(client[0])


def _names_this_computer(host: bytes | None) -> bool:
    if host is None:  # HTTP/1.0; browsers always send it
        return True
    name = host.decode("latin-1").lower()
    if name.startswith("["):
        return is_loopback(name[1:].partition("]")[0])
    return is_loopback(name.partition(":")[0])
