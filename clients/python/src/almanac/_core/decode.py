"""From parsed JSON to the dataclasses of `models`. Fields that the client does not know are ignored, as the API asks for."""

from __future__ import annotations

import dataclasses
import types
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Callable, Literal, Mapping, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from .. import models
from ..errors import ConnectionError
from .times import from_unix

T = TypeVar("T")
Decoder = Callable[[Any], Any]
Numbers = Literal["float", "decimal"]


def decode(kind: type[T], value: Any, numbers: Numbers = "float") -> T:
    """Raises `not_almanac` for a value that is not of this shape."""
    try:
        # mypy does not take a type for hashable.
        decoded: T = _decoder(cast(Any, kind), numbers)(value)
        return decoded
    except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as error:
        raise ConnectionError(
            "not_almanac",
            f"The answer is not a {kind.__name__}: {error!r}.",
            "Check that base_url is an Almanac server, and update this package.",
        ) from error


@lru_cache(maxsize=None)
def _decoder(kind: Any, numbers: Numbers) -> Decoder:
    if kind == models.Number:
        return _exact if numbers == "decimal" else cast(Decoder, float)
    if dataclasses.is_dataclass(kind):
        return _of_class(kind, numbers)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _of_union(get_args(kind), numbers)
    if origin is tuple:
        return _of_tuple(get_args(kind), numbers)
    if kind is datetime:
        return from_unix
    if kind is float:
        return float
    if kind is int:
        return _whole
    return _text if kind is str else _same


def _same(value: Any) -> Any:
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or value != int(value):
        raise TypeError(f"{value!r} is not a whole number")
    return int(value)


def _exact(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


def _of_tuple(items: tuple[Any, ...], numbers: Numbers) -> Decoder:
    if len(items) == 2 and items[1] is Ellipsis:
        each = _decoder(items[0], numbers)
        return lambda value: tuple(map(each, _listed(value)))
    decoders = [_decoder(item, numbers) for item in items]
    return lambda value: tuple(one(part) for one, part in zip(decoders, _listed(value), strict=True))


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    return value


def _of_union(options: tuple[Any, ...], numbers: Numbers) -> Decoder:
    others = [option for option in options if option is not type(None)]
    if set(others) == set(get_args(models.Number)):
        inner = _decoder(models.Number, numbers)
    elif len(others) == 1:
        inner = _decoder(others[0], numbers)
    elif all(dataclasses.is_dataclass(option) for option in others):
        inner = _by_type(others, numbers)
    else:
        inner = _same
    return lambda value: None if value is None else inner(value)


def _by_type(options: list[Any], numbers: Numbers) -> Decoder:
    """Objects that name their shape in `type`. One of a newer server stays a mapping."""
    by_name = {get_args(get_type_hints(option)["type"])[0]: _decoder(option, numbers) for option in options}

    def decode_one(value: Mapping[str, Any]) -> Any:
        return by_name.get(value["type"], _same)(value)

    return decode_one


def _of_class(kind: Any, numbers: Numbers) -> Decoder:
    hints = get_type_hints(kind)
    fields = [(field.name, field.name.rstrip("_"), field) for field in dataclasses.fields(kind)]
    required = [(name, key, _decoder(hints[name], numbers)) for name, key, field in fields if field.default is dataclasses.MISSING]
    optional = [(name, key, _decoder(hints[name], numbers)) for name, key, field in fields if field.default is not dataclasses.MISSING]

    def decode_one(value: Mapping[str, Any]) -> Any:
        found = {name: one(value[key]) for name, key, one in required}
        for name, key, one in optional:
            if key in value:
                found[name] = one(value[key])
        return kind(**found)

    return decode_one
