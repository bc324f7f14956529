import { type ClickHouse, orUnavailable, rows } from '@almanac/clickhouse';
import {
  asOfField,
  decodeCursor,
  encodeCursor,
  type ExportListResponse,
  exportListItem,
  type exportRpc,
  listingOf,
  readTimeOf,
  secondsOf,
} from '@almanac/contracts';
import type { AccountSlots, ReadCaller } from '@almanac/runtime';
import { z } from 'zod';
import type { RecentExports } from './recent-exports.js';

export interface ListExportsDeps {
  readonly clickhouse: ClickHouse;
  readonly slots: AccountSlots;
  readonly recent: RecentExports;
}

interface ListExportsInput extends z.output<typeof exportRpc.list.input> {
  readonly account: string;
}

/** The position of a cursor: request time and id of the last export on the page. */
const position = z.tuple([z.int(), z.string()]);

const row = exportListItem
  .omit({ created_ts: true, ready_ts: true, from: true, to: true, group: true, as_of: true })
  .extend({
    requested_us: z.int(),
    ready_us: z.int().nullable(),
    from_day: exportListItem.shape.from,
    to_day: exportListItem.shape.to,
    group_id: exportListItem.shape.group,
    as_of: z.number().nullable(),
  });

/**
 * GET /exports: the exports of an account, newest first. It includes every export that any answer has reported before.
 * The table lacks events that a process has not written yet, so they come from memory. With `as_of`, exports of
 * the present and of later times do not exist. Throws `unavailable`, `invalid_cursor` and `as_of_in_future`.
 */
export const listExports = async (
  deps: ListExportsDeps,
  input: ListExportsInput,
  caller: Omit<ReadCaller, 'account'>,
): Promise<ExportListResponse> => {
  const { limit, cursor, status, group, as_of } = input;
  const { asOfUs } = readTimeOf(as_of);
  const listing = listingOf('exports', { status, group, as_of });
  const after = decodeCursor(cursor, { listing, position });
  const all = await newestRows(deps, { input, after }, caller);
  const listed = all.slice(0, limit);
  const last = listed.at(-1);
  const has_more = all.length > limit;
  return {
    count: listed.length,
    exports: listed.map(({ requested_us, ready_us, from_day: from, to_day: to, group_id, as_of: of, ...shown }) => ({
      ...shown,
      ...(of === null ? {} : { as_of: of }),
      from,
      to,
      group: group_id,
      created_ts: requested_us / 1e6,
      ready_ts: secondsOf(ready_us),
    })),
    ...asOfField(asOfUs),
    has_more,
    next_cursor: has_more && last ? encodeCursor(listing, [last.requested_us, last.id]) : null,
  };
};

type Row = z.output<typeof row>;

interface ListPage {
  readonly input: ListExportsInput;
  readonly after: z.output<typeof position> | null;
}

/** One row more than the limit, if there are as many. */
const newestRows = async (
  { clickhouse, slots, recent }: ListExportsDeps,
  page: ListPage,
  { signal, remainingMs }: Omit<ReadCaller, 'account'>,
): Promise<Row[]> => {
  const { input, after } = page;
  // Before the table is read, so that an event missing here is in the table.
  const newest = await recent.of(input.account, signal);
  const ids = newest.map(({ id }) => id);
  const query = { ...tableQuery(page, ids), signal };
  const stored = await slots.run({ account: input.account, signal, remainingMs }, () =>
    orUnavailable(rows<Row>(clickhouse, query, row), 'archive'),
  );
  const matching = newest.filter(
    (one) =>
      (after === null || isBefore(one, { requested_us: after[0], id: after[1] })) &&
      (!input.status || one.status === input.status) &&
      (!input.group || one.group_id === input.group) &&
      (input.as_of === undefined || (one.as_of ?? Infinity) <= input.as_of),
  );
  return [...matching.map((one) => row.parse(one)), ...stored].toSorted((a, b) => (isBefore(a, b) ? 1 : -1));
};

/** The rows of the table without those that are in memory. */
const tableQuery = ({ input, after }: ListPage, newest: readonly string[]) => {
  const { account, status, group, limit, as_of } = input;
  const conditions = [
    'account = {account:String}',
    ...(after === null ? [] : ['(requested_us, id) < ({us:Int64}, {id:String})']),
    ...(status ? ['status = {status:String}'] : []),
    ...(group ? ['group_id = {group:String}'] : []),
    ...(as_of === undefined ? [] : ['as_of <= {as_of:Decimal(18, 6)}']),
    ...(newest.length > 0 ? ['id NOT IN {newest:Array(String)}'] : []),
  ];
  const [us, id] = after ?? [0, ''];
  const filters = { status: status ?? '', group: group ?? '', as_of: as_of ?? 0 };
  return {
    sql: `SELECT ${Object.keys(row.shape).join(', ')} FROM exports FINAL
      WHERE ${conditions.join(' AND ')} ORDER BY requested_us DESC, id DESC LIMIT {limit:UInt32}`,
    params: { account, us, id, ...filters, limit: limit + 1, newest: [...newest] },
  };
};

type ListPosition = Pick<Row, 'requested_us' | 'id'>;

/** The order of the query: by time, then by id. */
const isBefore = (a: ListPosition, b: ListPosition): boolean =>
  a.requested_us === b.requested_us ? a.id < b.id : a.requested_us < b.requested_us;
