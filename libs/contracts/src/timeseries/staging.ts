import { z } from 'zod';
import { contract, sentAgainByImporter } from '../requests/rpc.js';

/** A staging: when it was opened, in Unix seconds, and its own number. */
const stagingId = z.string().regex(/^\d{10}_[0-9a-f]{32}(?:_trades)?$/);

/** The tables into which staged rows move. */
const stagedTable = z.enum(['snapshots', 'trades']);
export type StagedTable = z.output<typeof stagedTable>;

/** Why an archive has no staging tables: a cluster of ClickHouse, or a user of timeseries without the rights to them. */
const stagingMissing = z.enum(['cluster', 'rights']);
export type StagingMissing = z.output<typeof stagingMissing>;

/** The table into which the rows of a staging move. */
export const stagedTableOf = (staging: string): StagedTable => (staging.endsWith('_trades') ? 'trades' : 'snapshots');

/**
 * Rows that readers see all at once. They are collected in a table of their own, which `publish` moves into the table of
 * observations or trades, and then announces each market once. A staging that nobody publishes is removed after a day.
 */
export const stagingRpc = {
  /**
   * Opens a staging table, or says why the archive has none: it is a cluster, or its user at ClickHouse has no rights to such tables.
   * With `check`, it only says so.
   */
  openStaging: contract({
    service: 'timeseries',
    method: 'openStaging',
    callers: ['ingest'],
    kind: 'command',
    repeats: sentAgainByImporter,
    input: z.object({
      table: stagedTable.default('snapshots'),
      check: z.boolean().default(false),
    }),
    output: z.object({
      staging: stagingId.nullable(),
      missing: stagingMissing.nullable().default(null),
      /** Whether a staging of observations also takes books. One of a release before does not. */
      has_books: z.boolean().default(false),
      /** Whether the body of a batch may be compressed. One of a release before takes none. */
      has_zstd: z.boolean().default(false),
    }),
    errors: [],
    timeoutMs: 15_000,
  }),
  /**
   * Stores a batch in a staging table. The body is one block in ClickHouse's format Native, with columns of `observationColumns` and,
   * with `top_sizes`, of `sizeFields`, with `l2`, of `bookColumns`, or of `tradeColumns`. A column that it lacks is null. Storing a batch again changes nothing for readers.
   * With `coding`, the body is compressed.
   */
  storeStaged: contract({
    service: 'timeseries',
    method: 'storeStaged',
    callers: ['ingest'],
    kind: 'command',
    repeats: 'always',
    input: z.object({
      staging: stagingId,
      columns: z.enum(['top', 'top_sizes', 'l2', 'trades']),
      rows: z.int().min(1),
      coding: z.enum(['zstd']).optional(),
    }),
    output: z.object({ rows: z.int() }),
    errors: [],
    timeoutMs: 30_000,
  }),
  /** Moves the rows of a staging table into the archive. Publishing it again changes nothing. */
  publishStaging: contract({
    service: 'timeseries',
    method: 'publishStaging',
    callers: ['ingest'],
    kind: 'command',
    repeats: 'always',
    input: z.object({ staging: stagingId }),
    output: z.object({ markets: z.int() }),
    errors: [],
    timeoutMs: 30_000,
  }),
};
