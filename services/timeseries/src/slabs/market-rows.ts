import type { ReadCaller } from '@almanac/runtime';
import type { ArchiveRows, HasBook, PageRequest, RowsRequest } from '../rows/archive-rows.js';
import { headerOf } from '../rows/form-sql.js';
import type { PageBytes, RowsBytes } from '../rows/rows-bytes.js';
import { toJsonArray, toJsonLines } from './row-separators.js';
import { kindOf } from './slab-kind.js';
import type { SlabMarket } from './make-slabs.js';
import type { Slabs } from './slabs.js';

/** Reads of the rows of one market. */
export interface MarketRows {
  rows(request: RowsRequest, market: SlabMarket, caller: ReadCaller): Promise<RowsBytes & HasBook>;
  page(request: PageRequest, market: SlabMarket, caller: ReadCaller): Promise<PageBytes & HasBook>;
}

/** Rows from slabs where they have them, otherwise from ClickHouse: the same bytes. */
export const marketRows = (archive: Pick<ArchiveRows, 'rows' | 'page'>, slabs: Slabs | undefined): MarketRows => ({
  rows: async (request, market, caller) => {
    const { withBook, withSizes } = request;
    const kind = kindOf('json', { numbers: 'decimal', withBook, withSizes });
    const found = kind && (await slabs?.read({ ...request, market, kind }, 1, caller));
    if (found === undefined) return archive.rows(request, caller);
    const { bytes, selected } = found;
    return { ...figuresOf(found), json: toJsonArray({ bytes, ...selected }) };
  },
  page: async (request, market, caller) => {
    const { form, withBook, withSizes } = request;
    const kind = kindOf(form, request);
    if (kind === undefined) return archive.page(request, caller);
    const header = headerOf(kind.form, { withBooks: withBook, withSizes });
    const found = await slabs?.read({ ...request, market, kind }, header.length, caller);
    if (found === undefined) return archive.page(request, caller);
    const { bytes, selected } = found;
    bytes.write(header, 'latin1');
    if (kind.form === 'ndjson') toJsonLines({ bytes, ...selected });
    return { ...figuresOf(found), bytes };
  },
});

const figuresOf = ({ selected }: NonNullable<Awaited<ReturnType<Slabs['read']>>>) => {
  const { matched, rowsBeforeLimit, lastUs, hasBook } = selected;
  return { matched, rowsBeforeLimit, lastUs, hasBook };
};
