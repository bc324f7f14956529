"""What an answer means: a value, or an error with a remedy."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Mapping

import httpx

from ..errors import AlmanacError, ApiError, ConnectionError, invalid_options
from .advice import ADVICE
from .config import Config
from .retry import retry_after_s, server_time
from .times import now
from .wording import field_sentence, in_own_words, without_next_step

_SHOWN = 80
_CLOCK_TOLERANCE_S = 30
_ANOTHER_SERVER = "Check base_url: it is the address of the server, without a path, and no proxy may answer in its place."


def parse_json(content: bytes, config: Config) -> Any:
    """The JSON of a successful answer."""
    try:
        return json.loads(content, parse_float=Decimal if config.numbers == "decimal" else float)
    except ValueError as error:
        raise ConnectionError("not_almanac", f"The server sent {_shown(content)} instead of JSON.", _ANOTHER_SERVER) from error


def error_of(status: int, headers: Mapping[str, str], content: bytes) -> AlmanacError:
    """The error of an answer that is no success."""
    body = _error_body(content)
    if body is None and status in (502, 503, 504):
        detail = f"{status} came with {_shown(content)}, probably from a proxy."
        return ConnectionError("connection_failed", detail, "A proxy could not reach the server. Try again later.", is_transient=True)
    if body is None:
        return ConnectionError("not_almanac", f"The server answered {status} with {_shown(content)}.", _ANOTHER_SERVER)
    wait_s = retry_after_s(headers)
    fields = body["detail"] if isinstance(body["detail"], list) else []
    detail = " ".join(map(field_sentence, fields)) if fields else in_own_words(without_next_step(str(body["detail"])))
    return ApiError(status=status, body=body, retry_after_s=wait_s, detail=detail, remedy=_remedy(body, headers))


def _remedy(body: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    code = str(body["code"])
    advice = [ADVICE.get(code, "This code is newer than this client. Update the client.")]
    advice += [str(notice.get("detail")) for notice in body.get("notices") or ()]
    text = in_own_words(" ".join(advice))
    return text + _clock_advice(headers) if code == "as_of_in_future" else text


def _clock_advice(headers: Mapping[str, str]) -> str:
    """A clock that is ahead is the most frequent reason of a time in the future."""
    server = server_time(headers)
    ahead_s = 0 if server is None else round((now() - server).total_seconds())
    if abs(ahead_s) < _CLOCK_TOLERANCE_S:
        return ""
    return f" Your clock is {abs(ahead_s)} s {'ahead of' if ahead_s > 0 else 'behind'} the clock of the server. Set it."


def _error_body(content: bytes) -> Mapping[str, Any] | None:
    try:
        body = json.loads(content)
    except ValueError:
        return None
    return body if isinstance(body, dict) and isinstance(body.get("code"), str) and "detail" in body else None


def _shown(content: bytes) -> str:
    text = " ".join(content[: _SHOWN * 4].decode("utf-8", "replace").split())[:_SHOWN]
    kind = "an HTML page" if text.lower().startswith(("<!doctype html", "<html")) else "other content"
    return f"{kind} ({text!r})" if text else "an empty body"


def connection_error(error: Exception, config: Config) -> AlmanacError:
    """The error of a request that got no whole answer."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
        return invalid_options(f"The request cannot be sent ({what}).", "Check base_url and api_key.")
    if "certificate" in str(error).lower():
        remedy = "Check base_url and the clock of this machine, and that this machine trusts the authority of the certificate."
        return ConnectionError("certificate_refused", f"The certificate of {config.base_url} was refused ({what}).", remedy)
    if _is_foreign(error):
        remedy = "Check the port of base_url, and whether it must start with http:// or https://."
        return ConnectionError("not_almanac", f"{config.base_url} does not speak the expected protocol ({what}).", remedy)
    if isinstance(error, httpx.ConnectError):
        remedy = "Start the server, or check base_url, the network and the proxy settings."
        return ConnectionError("connection_failed", f"No server answers at {config.base_url} ({what}).", remedy, is_transient=True)
    remedy = "Try again. If it happens again, check base_url, the network and the proxy settings."
    return ConnectionError("connection_failed", f"The connection to {config.base_url} was lost ({what}).", remedy, is_transient=True)


def _is_foreign(error: Exception) -> bool:
    """Bytes that are no HTTP or no TLS, unlike an HTTP answer that ended early."""
    text = str(error).lower()
    return (isinstance(error, httpx.RemoteProtocolError) and "illegal" in text) or "[ssl" in text
