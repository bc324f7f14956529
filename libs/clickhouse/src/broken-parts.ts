import { counter } from '@almanac/runtime';
import { ClickHouseError } from '@clickhouse/client';

/** NO_FILE_IN_DATA_PART, BAD_SIZE_OF_FILE_IN_DATA_PART, CORRUPTED_DATA. */
const damaged = new Set(['226', '228', '246']);

/** CANNOT_READ_ALL_DATA, CHECKSUM_DOESNT_MATCH: also about a request's own rows, unless the message names a part. */
const damagedInPart = new Set(['33', '40']);

/** A folder of rows whose files ClickHouse cannot read. */
export interface BrokenPart {
  /** `unknown` if the message names none. */
  readonly part: string;
  readonly table: string;
}

/** The part that an error of ClickHouse is about. Undefined: the error has another cause. */
export const brokenPartOf = (error: unknown): BrokenPart | undefined => {
  if (!(error instanceof ClickHouseError)) return undefined;
  const [, part] = /(?:from|in|part) (?:part )?\S*\/([^/\s]+)\/ in table/.exec(error.message) ?? [];
  const [, table] = / in table (\S+)/.exec(error.message) ?? [];
  const isDamage = damaged.has(error.code) || (damagedInPart.has(error.code) && part !== undefined);
  return isDamage ? { part: part ?? 'unknown', table: table ?? 'unknown' } : undefined;
};

const reads = counter('almanac_clickhouse_broken_parts_total', 'queries that failed at a broken part, by table', [
  'table',
]);

const reportedMs = 600_000;
let last: (BrokenPart & { readonly at: number }) | undefined;

/** Counts an error of a broken part, and remembers it for the health check. */
export const noteBrokenPart = (error: unknown): void => {
  const broken = brokenPartOf(error);
  if (broken === undefined) return;
  reads.labels(broken.table).inc();
  last = { ...broken, at: performance.now() };
};

/** A sentence about the part at which a query of this process failed in the last 10 minutes. Null: none. */
export const brokenPartFault = (): string | null =>
  last === undefined || performance.now() - last.at > reportedMs
    ? null
    : `the part ${last.part} of the table ${last.table} is broken, so queries that need it fail`;
