import type { EventMessage } from '@almanac/bus';
import { type ClickHouse, insertBytes } from '@almanac/clickhouse';
import type { ExportState } from '@almanac/contracts';

export type ExportRow = NonNullable<ReturnType<typeof rowOf>>;

const columns = [
  'account',
  'requested_us',
  'id',
  'status',
  'event',
  'ticker',
  'series',
  'day',
  'format',
  'streams',
  'bytes',
  'row_count',
  'filename',
  'ready_us',
  'error',
  'seq',
  'from_day',
  'to_day',
  'group_id',
  'as_of',
] as const;

/** The row of an event, or null for an abandoned reservation, which never became an export. */
export const rowOf = ({ seq, event: { state } }: EventMessage<ExportState>) => {
  if (state.status === 'abandoned') return null;
  const { id, account, status, requested_us, filename, group } = state;
  const { event, ticker, series, day, format, streams, from, to } = state.query;
  return {
    account,
    requested_us,
    id,
    status,
    event,
    ticker,
    series,
    day,
    format,
    streams,
    bytes: state.status === 'ready' ? state.file.bytes : 0,
    row_count: state.status === 'ready' ? state.file.row_count : null,
    filename,
    ready_us: state.status === 'ready' ? state.ready_us : null,
    error: state.status === 'failed' ? state.error : null,
    seq,
    from_day: from ?? day,
    to_day: to ?? day,
    group_id: group?.id ?? null,
    as_of: state.query.as_of ?? null,
  } satisfies Record<(typeof columns)[number], unknown>;
};

/** Stores rows. Resolves when queries can see them. */
export const storeExports = async (
  clickhouse: ClickHouse,
  rows: readonly ExportRow[],
  table: string = 'exports',
): Promise<void> => {
  if (rows.length === 0) return;
  const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await insertBytes(clickhouse, { table, columns, format: 'JSONEachRow', body });
};
