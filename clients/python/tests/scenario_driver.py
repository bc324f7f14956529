"""Makes the calls of test/clients/scenarios.yaml. Reads each as a line of JSON, and answers with a line of JSON."""

from __future__ import annotations

import dataclasses
import json
import sys
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Mapping

import almanac
from almanac._core.times import to_micros

Call = Mapping[str, Any]
# What has another name in Python.
_ARGUMENTS = {"from": "from_", "at_ts": "times"}
_IDS = {"cart.remove": {"event_id": "event"}, "markets.book": {"at_ts": "at_ts"}}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(_outcome(json.loads(line))), flush=True)


def _outcome(call: Call) -> Mapping[str, Any]:
    try:
        with _client(call) as client:
            return {"result": _plain(_result(client, call))}
    except almanac.AlmanacError as error:
        return {"error": _facts(error)}


def _client(call: Call) -> almanac.Almanac:
    given, options = call["client"], call["options"]
    chosen = {name: given[name] for name in ("as_of", "strict") if name in given}
    if "max_retries" in options:
        chosen["max_retries"] = options["max_retries"]
    if "deadline_ms" in options:
        chosen["deadline_s"] = options["deadline_ms"] / 1_000
    return almanac.Almanac(given["api_key"], given["base_url"], **chosen)


def _result(client: almanac.Almanac, call: Call) -> Any:
    special = _SPECIAL.get(call["call"])
    if special is not None:
        return special(client, call)
    target: Any = client
    for name in call["call"].split("."):
        target = getattr(target, name)
    names = {**_ARGUMENTS, **_IDS.get(call["call"], {})}
    args = {names.get(name, name): value for name, value in call["args"].items()}
    if "idempotency_key" in call["options"]:
        args["idempotency_key"] = call["options"]["idempotency_key"]
    returned = target(**args)
    return _taken(returned, call["take"]) if hasattr(returned, "first_page") else returned


def _taken(pages: Any, take: str) -> Any:
    if take == "first_page":
        return pages.first_page()
    return list(pages.pages()) if take == "pages" else list(pages)


def _deadline(call: Call) -> dict[str, Any]:
    return {"deadline_s": call["options"]["deadline_ms"] / 1_000} if "deadline_ms" in call["options"] else {}


def _wait(client: almanac.Almanac, call: Call) -> Any:
    return client.exports.wait(call["args"]["export_id"], **_deadline(call))


def _download(client: almanac.Almanac, call: Call) -> Any:
    export = client.exports.get(call["args"]["export_id"])
    path = export.download(call["args"]["path"], overwrite=call["options"].get("overwrite", False), **_deadline(call))
    return {"path": path, "sha256": export.data.sha256, "bytes": path.stat().st_size}


def _create_days(client: almanac.Almanac, call: Call) -> Any:
    args = call["args"]
    exports = client.exports.create_days(args["series"], args["from"], args["to"])
    return {"group": exports[0].data.group, "exports": exports}


_SPECIAL: Mapping[str, Callable[[almanac.Almanac, Call], Any]] = {
    "exports.wait": _wait,
    "exports.download": _download,
    "exports.create_days": _create_days,
}


def _facts(error: almanac.AlmanacError) -> Mapping[str, Any]:
    """The names are those of the TypeScript client."""
    facts = {"code": error.code, "detail": error.detail, "remedy": error.remedy, "request_id": error.request_id}
    if not isinstance(error, almanac.ApiError):
        return facts
    answer = {"status": error.status, "retryAfter": error.retry_after_s, "fields": [*error.fields], "body": error.body}
    return {**facts, **answer}


def _plain(value: Any) -> Any:
    """As in the JSON of the API."""
    if isinstance(value, almanac.Export):
        return _plain(value.data)
    if dataclasses.is_dataclass(value):
        return {field.name.rstrip("_"): _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime):
        return to_micros(value) / 1_000_000
    if isinstance(value, Decimal):
        return float(value)
    return str(value) if isinstance(value, Path) else value


if __name__ == "__main__":
    main()
