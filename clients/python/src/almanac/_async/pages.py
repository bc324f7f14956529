"""Lists that go on over several answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, AsyncIterator, Generic, TypeVar

from .._core.frames import arrow_of, frame_of, polars_of
from .._core.requests import Call
from ..errors import ConnectionError
from .transport import AsyncTransport

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Page = TypeVar("Page")
Item = TypeVar("Item")


class AsyncPages(Generic[Page, Item]):
    """
    A list. Iterate over it to get every item, or over `pages()` to get the answers. Nothing is requested before, and each
    iteration begins again.
    """

    def __init__(
        self,
        transport: AsyncTransport,
        call: Call,
        *,
        kind: type[Page],
        items: str,
        item: type[Item],
        next_by: str,
        has_more: str = "has_more",
    ) -> None:
        self._transport = transport
        self._call = call
        self._kind = kind
        self._items = items
        self._item = item
        self._next_by = next_by
        self._has_more = has_more

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in getattr(page, self._items) or ():
                yield item

    async def pages(self) -> AsyncIterator[Page]:
        """Every answer of the server."""
        call: Call | None = replace(await self._first_call(), reads_on=True)
        while call is not None:
            page = await self._transport.get(self._kind, call)
            yield page
            call = self._next_call(call, page)

    def __getitem__(self, index: int) -> Item:
        raise TypeError(_not_read(self._item.__name__, "items by number"))

    def __len__(self) -> int:
        raise TypeError(_not_read(self._item.__name__, "length"))

    def __bool__(self) -> bool:
        raise TypeError(_not_read(self._item.__name__, "truth value"))

    def __repr__(self) -> str:
        return f"<list of {self._item.__name__} from {self._call.operation}: not read yet. Iterate over it, or call to_list()>"

    async def first_page(self) -> Page:
        """The first answer alone. Its `has_more` says whether more follow."""
        return await self._transport.get(self._kind, self._call)

    async def to_list(self) -> list[Item]:
        """Every item of every page."""
        return [item async for item in self]

    async def to_df(self) -> pandas.DataFrame:
        """Every item as a row of a pandas DataFrame. Times are `datetime64[ns, UTC]`."""
        return frame_of(await self.to_list(), self._item, self._transport.config.numbers)

    async def to_polars(self) -> polars.DataFrame:
        """Every item as a row of a polars DataFrame."""
        return polars_of(await self.to_list(), self._item, self._transport.config.numbers)

    async def to_arrow(self) -> pyarrow.Table:
        """Every item as a row of a pyarrow Table."""
        return arrow_of(await self.to_list(), self._item, self._transport.config.numbers)

    async def _first_call(self) -> Call:
        return self._call

    def _next_call(self, call: Call, page: Page) -> Call | None:
        """The call of the next page. None after the last one."""
        return self._following(call, page) if getattr(page, self._has_more) else None

    def _following(self, call: Call, page: Page) -> Call:
        """Without a way to go on, the rest of the list must not be lost silently."""
        value: Any = getattr(page, f"next_{self._next_by}")
        values = call.query if call.body is None else call.body
        if value is None or values.get(self._next_by) == value:
            raise ConnectionError(
                "incomplete_answer",
                f"The list has more items, but no next_{self._next_by}.",
                "Narrow the filters, such as from_ts and to_ts, and read the parts one by one.",
            )
        if call.body is None:
            return replace(call, query={**call.query, self._next_by: value})
        return replace(call, body={**call.body, self._next_by: value})


def _not_read(item: str, what: str) -> str:
    return f"A list of {item} has no {what} before it is read. Call to_list() for all of it, or first_page() for the first answer."
