"""OpenID Connect: people sign in at another service, with the authorization code flow and PKCE."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import threading
import time
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlsplit

from bilex.errors import AccountError, SettingError
from bilex.registry import did_you_mean, import_extra
from bilex.review.accounts import Identity
from bilex.review.roles import Role

for _module in ("requests", "joserfc", "authlib.integrations.requests_client"):
    import_extra(_module, "single sign-on needs", extra="oidc")

import requests  # noqa: E402 - after the error
from authlib.integrations.base_client import OAuthError  # noqa: E402
from authlib.integrations.requests_client import OAuth2Session  # noqa: E402
from joserfc import jwt  # noqa: E402
from joserfc.errors import JoseError  # noqa: E402
from joserfc.jwk import KeySet  # noqa: E402

if TYPE_CHECKING:
    from requests.adapters import BaseAdapter

# Signatures by public keys: with a shared key, anybody who knows it could sign.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_TIMEOUT = 10.0  # seconds
_LEEWAY = 60  # seconds by which clocks may differ
_KEPT_SECONDS = 3600.0
_FAILED = "the sign-in service did not confirm who you are: try again"
_NAMES = ("preferred_username", "name", "nickname", "email")  # claims, the best one first

_log = logging.getLogger(__name__)


class Person(NamedTuple):
    """Somebody who has signed in elsewhere, and the name given there."""

    identity: Identity
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSettings:
    """Where people sign in.

    Attributes:
        issuer: The address of the service, such as https://login.example.org/realms/team.
        client_id: Of this server, as registered at the service.
        client_secret: The same; empty for a public client.
        label: On the button.
        scope: What is asked for.
        new_accounts: The role of people who were not invited, reader or reviewer; None lets
            nobody in without an invitation.
    """

    issuer: str
    client_id: str
    client_secret: str = ""
    label: str = "single sign-on"
    scope: str = "openid profile"
    new_accounts: Role | None = None

    def __post_init__(self) -> None:
        _check_address("issuer", self.issuer)
        if self.new_accounts not in (None, "reader", "reviewer"):
            raise SettingError(
                f"new_accounts is {self.new_accounts!r}: expected reader or reviewer; other roles "
                "need an invitation"
            )
        if "openid" not in self.scope.split():
            raise SettingError(f"scope is {self.scope!r}: expected openid in it")

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Read settings from a TOML file.

        Raises:
            SettingError: If a setting is missing, unknown or not possible.
        """
        try:
            values = tomllib.loads(path.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
            raise SettingError(f"{path} is not TOML: {problem}") from problem
        known = [each.name for each in fields(cls)]
        for name, value in values.items():
            if name not in known:
                raise SettingError(
                    f"{path}: unknown setting {name!r}{did_you_mean(name, known)}; expected "
                    f"{', '.join(known)}"
                )
            if not isinstance(value, str):
                raise SettingError(f"{path}: {name} is {value!r}, expected text")
        missing = [name for name in ("issuer", "client_id") if not values.get(name)]
        if missing:
            raise SettingError(f"{path} has no {' and no '.join(missing)}: add it")
        return cls(**values)


class OidcProvider:
    """The other service. Thread-safe.

    Args:
        settings: Where it is.
        adapter: How it is reached; None by HTTPS.
    """

    def __init__(self, settings: OidcSettings, adapter: BaseAdapter | None = None) -> None:
        self.settings = settings
        self._adapter = adapter
        self._lock = threading.Lock()
        self._found: tuple[float, dict[str, Any]] | None = None

    def start(self, address: str, secret: str) -> str:
        """Return where to send the browser.

        Args:
            address: Where it shall come back.
            secret: Known to this browser only.

        Raises:
            AccountError: If the service does not answer.
        """
        with self._client(address) as client:
            where, _ = client.create_authorization_url(
                self._metadata()["authorization_endpoint"],
                state=_derived(secret, "state"),
                nonce=_derived(secret, "nonce"),
                code_verifier=_derived(secret, "verifier"),
            )
        return str(where)

    def finish(
        self, address: str, secret: str, *, code: str, state: str, issuer: str = ""
    ) -> Person:
        """Return who has signed in.

        Args:
            address: Where the browser came back.
            secret: As in `start`.
            code: From the service.
            state: From the service.
            issuer: From the service, if it says so (RFC 9207).

        Raises:
            AccountError: If the answer is not for this browser, not from this service or refused.
        """
        expected = _derived(secret, "state")
        if not secret or not code or not hmac.compare_digest(state.encode(), expected.encode()):
            raise AccountError(_FAILED)
        if issuer and issuer != self.settings.issuer:
            raise AccountError(_FAILED)
        try:
            with self._client(address) as client:
                answer = client.fetch_token(
                    self._metadata()["token_endpoint"],
                    code=code,
                    code_verifier=_derived(secret, "verifier"),
                    timeout=_TIMEOUT,
                )
            claims = self._claims(str(answer["id_token"]), _derived(secret, "nonce"))
        except (OAuthError, JoseError, KeyError, ValueError, requests.RequestException) as problem:
            _log.warning("single sign-on failed: %s", problem)
            raise AccountError(_FAILED) from problem
        name = next((str(claims[each]) for each in _NAMES if claims.get(each)), "")
        identity = Identity(self.settings.issuer, str(claims["sub"]))
        return Person(identity, name.partition("@")[0])

    def _claims(self, token: str, nonce: str) -> dict[str, Any]:
        """Return what the service says of a person, after checking who says it, to whom and when.

        Keys are fetched again if the service has changed them.
        """
        try:
            decoded = jwt.decode(token, self._keys(), algorithms=list(ALGORITHMS))
        except (JoseError, ValueError):
            self._found = None
            decoded = jwt.decode(token, self._keys(), algorithms=list(ALGORITHMS))
        claims = decoded.claims
        jwt.JWTClaimsRegistry(
            leeway=_LEEWAY,
            iss={"essential": True, "value": self.settings.issuer},
            aud={"essential": True, "value": self.settings.client_id},
            sub={"essential": True},
            exp={"essential": True},
            nonce={"essential": True, "value": nonce},
        ).validate(claims)
        audience = claims["aud"]
        is_shared = isinstance(audience, list) and len(audience) > 1
        if (is_shared or "azp" in claims) and claims.get("azp") != self.settings.client_id:
            raise ValueError("the token was made for another client")
        return dict(claims)

    def _keys(self) -> KeySet:
        return KeySet.import_key_set(self._metadata()["keys"])

    def _metadata(self) -> dict[str, Any]:
        """Return the endpoints and keys of the service, as it publishes them."""
        with self._lock:
            now = time.monotonic()
            if self._found is None or now - self._found[0] > _KEPT_SECONDS:
                try:
                    self._found = now, self._fetched()
                except (requests.RequestException, KeyError, ValueError) as problem:
                    _log.warning("%s: %s", self.settings.issuer, problem)
                    raise AccountError(
                        "the sign-in service does not answer: try again later"
                    ) from problem
            return self._found[1]

    def _fetched(self) -> dict[str, Any]:
        with requests.Session() as session:
            self._connect(session)
            where = f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration"
            found = dict(_json(session, where))
            if found["issuer"] != self.settings.issuer:
                raise ValueError(f"the service calls itself {found['issuer']}")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                _check_address(name, str(found[name]))
            return found | {"keys": _json(session, str(found["jwks_uri"]))}

    def _client(self, address: str) -> OAuth2Session:
        client = OAuth2Session(
            self.settings.client_id,
            self.settings.client_secret or None,
            scope=self.settings.scope,
            redirect_uri=address,
            code_challenge_method="S256",
            token_endpoint_auth_method=(
                "client_secret_basic" if self.settings.client_secret else "none"
            ),
        )
        self._connect(client)
        return client

    def _connect(self, session: requests.Session) -> None:
        if self._adapter is not None:
            session.mount("https://", self._adapter)
            session.mount("http://", self._adapter)


def _json(session: requests.Session, address: str) -> Any:  # noqa: ANN401
    answer = session.get(address, timeout=_TIMEOUT)
    answer.raise_for_status()
    return answer.json()


def _check_address(name: str, address: str) -> None:
    parts = urlsplit(address)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    if not is_safe or not parts.hostname:
        raise SettingError(f"{name} is {address!r}: expected an address with https://")


def _derived(secret: str, purpose: str) -> str:
    digest = hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
