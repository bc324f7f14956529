import { setTimeout as pause } from 'node:timers/promises';
import { acknowledgedUpTo, type Bus, durables, streamState } from '@almanac/bus';
import { type ClickHouse, orUnavailable, rows } from '@almanac/clickhouse';
import {
  decodeCursor,
  DomainError,
  encodeCursor,
  type ExportListResponse,
  exportListItem,
  type exportRpc,
  listingOf,
  secondsOf,
} from '@almanac/contracts';
import { z } from 'zod';

export interface ListExportsDeps {
  readonly bus: Bus;
  readonly clickhouse: ClickHouse;
}

interface ListExportsInput extends z.output<typeof exportRpc.list.input> {
  readonly account: string;
}

/** The position of a cursor: request time and id of the last export on the page. */
const position = z.tuple([z.int(), z.string()]);

const row = exportListItem.omit({ created_ts: true, ready_ts: true, from: true, to: true, group: true }).extend({
  requested_us: z.int(),
  ready_us: z.int().nullable(),
  from_day: exportListItem.shape.from,
  to_day: exportListItem.shape.to,
  group_id: exportListItem.shape.group,
});

/**
 * GET /exports: the exports of an account, newest first. It includes every export that any answer has reported before.
 * Throws `unavailable` if the table does not catch up within a second, and `invalid_cursor`.
 */
export const listExports = async (
  { bus, clickhouse }: ListExportsDeps,
  { account, limit, cursor, status, group }: ListExportsInput,
  signal: AbortSignal,
): Promise<ExportListResponse> => {
  const listing = listingOf('exports', { status, group });
  const after = decodeCursor(cursor, { listing, position });
  await awaitProjected(bus, signal);
  const conditions = [
    'account = {account:String}',
    ...(after === null ? [] : ['(requested_us, id) < ({us:Int64}, {id:String})']),
    ...(status ? ['status = {status:String}'] : []),
    ...(group ? ['group_id = {group:String}'] : []),
  ];
  const [us, id] = after ?? [0, ''];
  const found = await orUnavailable(
    rows<z.output<typeof row>>(
      clickhouse,
      {
        sql: `SELECT ${Object.keys(row.shape).join(', ')} FROM exports FINAL
          WHERE ${conditions.join(' AND ')} ORDER BY requested_us DESC, id DESC LIMIT {limit:UInt32}`,
        params: { account, us, id, status: status ?? '', group: group ?? '', limit: limit + 1 },
        signal,
      },
      row,
    ),
    'archive',
  );
  const listed = found.slice(0, limit);
  const last = listed.at(-1);
  const has_more = found.length > limit;
  return {
    count: listed.length,
    exports: listed.map(({ requested_us, ready_us, from_day: from, to_day: to, group_id, ...shown }) => ({
      ...shown,
      from,
      to,
      group: group_id,
      created_ts: requested_us / 1e6,
      ready_ts: secondsOf(ready_us),
    })),
    has_more,
    next_cursor: has_more && last ? encodeCursor(listing, [last.requested_us, last.id]) : null,
  };
};

const waitMsMax = 1_000;
const pollMs = 10;

const awaitProjected = async (bus: Bus, signal: AbortSignal): Promise<void> => {
  const state = await streamState(bus, 'EVT_EXPORT');
  const deadline = performance.now() + waitMsMax;
  while ((await acknowledgedUpTo(bus, 'EVT_EXPORT', durables.exportList)) < state.last_seq) {
    if (performance.now() + pollMs > deadline) {
      throw new DomainError('unavailable', 'The list of exports is not up to date yet. Try again in a few seconds.');
    }
    await pause(pollMs, undefined, { signal });
  }
};
