"""The base of the answers: a name that is one level deeper is an error that says where it is."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING


class Named:
    __slots__ = ()

    # A type checker must not learn that every name exists.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            message = f"{type(self).__name__} has no {name!r}."
            if not name.startswith("_"):
                for field in fields(self):
                    inner = getattr(self, field.name)
                    if is_dataclass(inner) and name in {each.name for each in fields(inner)}:
                        message += f" Its {field.name} has: use .{field.name}.{name}"
            raise AttributeError(message, name=name, obj=self)
