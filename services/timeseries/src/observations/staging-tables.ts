import { randomUUID } from 'node:crypto';
import { type ClickHouse, command, rows, stagingDatabase } from '@almanac/clickhouse';
import {
  bookColumns,
  DomainError,
  observationColumns,
  sizeFields,
  type StagedTable,
  stagedTableOf,
  tradeColumns,
  type InputOf,
  type OutputOf,
  type timeseriesRpc,
} from '@almanac/contracts';
import type { DataChange } from '@almanac/event-store';
import { z } from 'zod';
import type { Announcements } from './announcements.js';
import { type InsertQueue, insertQueue } from './insert-queue.js';
import { refusal } from './refusal.js';
import type { StoreCall } from './store-observations.command.js';

/** Longer than any import needs to fill a staging table. */
const ageMaxS = 86_400;
/** Batches that wait for an insert become one part, and few parts need few merges. */
const together = { smallBytesMax: Infinity, mergedBytesMax: 32 * 1024 * 1024 };

/** Parts are merged when about 30 are alike, and not 5: no reader waits for fewer, and each merge writes its rows again. */
const fewMerges = 'merge_selector_base = 50';

export interface StagingDeps {
  readonly clickhouse: ClickHouse;
  readonly announcements: Pick<Announcements, 'open' | 'noted' | 'announce' | 'close'>;
  readonly log: { warn(fields: object, text: string): void };
}

const takesNothing = { has_books: false, has_zstd: false };

type Opened = OutputOf<typeof timeseriesRpc.openStaging>;

const remedy =
  'the user timeseries may not use tables of the database staging, so large imports are by row; apply users.d/almanac.xml of this release to ClickHouse';

/**
 * Rows that readers do not see yet. Each staging is a table like that of the observations, so that a move of its partitions
 * copies nothing: readers see all rows of a month, or none.
 */
export class StagingTables {
  private readonly inserts: InsertQueue;
  private hasRights = true;

  constructor(private readonly deps: StagingDeps) {
    this.inserts = insertQueue(deps.clickhouse, together);
  }

  /** With `check`, no table is created. */
  async open({ table, check }: InputOf<typeof timeseriesRpc.openStaging>): Promise<Opened> {
    const { clickhouse, log } = this.deps;
    if (clickhouse.isReplicated) return { staging: null, missing: 'cluster', ...takesNothing };
    try {
      await command(clickhouse, { sql: `CREATE DATABASE IF NOT EXISTS ${stagingDatabase}` });
      const staging = check ? null : await this.create(table);
      this.hasRights = true;
      return { staging, missing: null, has_books: true, has_zstd: true };
    } catch (cause) {
      if (!isType(cause, 'ACCESS_DENIED')) throw refusal(cause);
      if (this.hasRights) log.warn({ err: cause }, remedy);
      this.hasRights = false;
      return { staging: null, missing: 'rights', ...takesNothing };
    }
  }

  private async create(table: StagedTable): Promise<string> {
    const { clickhouse } = this.deps;
    const nowS = Math.floor(Date.now() / 1_000);
    const staging = `${nowS}_${randomUUID().replaceAll('-', '')}${table === 'trades' ? '_trades' : ''}`;
    await this.removeOld(nowS - ageMaxS);
    await command(clickhouse, { sql: `CREATE TABLE ${tableOf(staging)} AS ${clickhouse.database}.${table}` });
    await this.mergeLess(staging);
    return staging;
  }

  /** Without the right to it, as after an upgrade without the new `users.d`, there are more merges. */
  private async mergeLess(staging: string): Promise<void> {
    const sql = `ALTER TABLE ${tableOf(staging)} MODIFY SETTING ${fewMerges}`;
    await command(this.deps.clickhouse, { sql }).catch((cause: unknown) => {
      if (!isType(cause, 'ACCESS_DENIED')) throw cause;
    });
  }

  async store(
    { staging, columns, rows: count, coding }: InputOf<typeof timeseriesRpc.storeStaged>,
    { body, signal }: Pick<StoreCall, 'body' | 'signal'>,
  ): Promise<{ rows: number }> {
    await this.orRefusal(() =>
      this.inserts.insert({
        table: tableOf(staging),
        columns: columnsOf[columns],
        format: 'Native',
        body: Buffer.from(body.buffer, body.byteOffset, body.length),
        rows: count,
        coding,
        signal,
      }),
    );
    return { rows: count };
  }

  /**
   * The changes are noted before the first row moves, so they are announced also if this process dies. Whoever publishes the
   * staging again moves what is left.
   */
  async publish(staging: string, remainingMs: () => number): Promise<{ markets: number }> {
    const { announcements, clickhouse } = this.deps;
    const { changes, note } = await this.orRefusal(async () => {
      const noting = await this.noted(staging);
      if (noting.isOpen) await this.move(staging);
      return noting;
    });
    await announcements.announce(changes, remainingMs);
    announcements.close(note);
    await command(clickhouse, { sql: `DROP TABLE IF EXISTS ${tableOf(staging)}` }).catch(() => undefined);
    return { markets: changes.length };
  }

  /** Somebody may have published a part of the staging, and others may have announced that part. */
  private async noted(staging: string): Promise<{ isOpen: boolean; changes: readonly DataChange[]; note: string }> {
    const { announcements } = this.deps;
    const id = uuidOf(staging);
    const noted = await announcements.noted(id);
    const isOpen = noted === null || (await this.isOpen(staging));
    if (!isOpen || (noted !== null && noted.length > 0)) return { isOpen, changes: noted, note: id };
    const changes = await this.changesIn(staging);
    return { isOpen, changes, note: await announcements.open(changes, noted === null ? id : undefined) };
  }

  private async changesIn(staging: string): Promise<DataChange[]> {
    const micros = (time: string): string => `toUnixTimestamp64Micro(${time}(ts))`;
    const what =
      stagedTableOf(staging) === 'trades'
        ? "'trades' AS cause, NULL AS min_us, NULL AS max_us"
        : `'observations' AS cause, ${micros('min')} AS min_us, ${micros('max')} AS max_us`;
    const sql = `SELECT ticker, count() AS rows, ${what} FROM ${tableOf(staging)} GROUP BY ticker`;
    return rows(this.deps.clickhouse, { sql, settings: { output_format_json_quote_64bit_integers: 0 } }, change);
  }

  private async move(staging: string): Promise<void> {
    const { clickhouse } = this.deps;
    const sql = `SELECT DISTINCT _partition_id AS id FROM ${tableOf(staging)} ORDER BY id`;
    for (const { id } of await rows(clickhouse, { sql }, partition))
      await command(clickhouse, {
        sql: `ALTER TABLE ${tableOf(staging)} MOVE PARTITION ID '${id}' TO TABLE ${clickhouse.database}.${stagedTableOf(staging)}`,
      });
  }

  private async names(): Promise<readonly string[]> {
    const found = await rows(this.deps.clickhouse, { sql: `SHOW TABLES FROM ${stagingDatabase}` }, named);
    return found.map(({ name }) => name);
  }

  private async isOpen(staging: string): Promise<boolean> {
    return (await this.names()).includes(nameOf(staging));
  }

  private async removeOld(beforeS: number): Promise<void> {
    for (const name of await this.names())
      if (Number(/^s_(\d{10})_/.exec(name)?.[1]) < beforeS)
        await command(this.deps.clickhouse, { sql: `DROP TABLE IF EXISTS ${stagingDatabase}.${name}` });
  }

  private async orRefusal<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (isType(cause, 'UNKNOWN_TABLE'))
        throw new DomainError('invalid_input', 'The rows that were staged are gone.', { cause });
      throw cause instanceof DomainError ? cause : refusal(cause);
    }
  }
}

const change = z.object({
  ticker: z.string(),
  cause: z.enum(['observations', 'trades']),
  rows: z.int(),
  min_us: z.int().nullable(),
  max_us: z.int().nullable(),
});
const partition = z.object({ id: z.string().regex(/^\w+$/) });
const named = z.object({ name: z.string() });

const columnsOf = {
  top: observationColumns,
  top_sizes: [...observationColumns, ...sizeFields],
  l2: [...observationColumns, ...bookColumns],
  trades: tradeColumns,
} as const;

const nameOf = (staging: string): string => `s_${staging}`;
const tableOf = (staging: string): string => `${stagingDatabase}.${nameOf(staging)}`;
const uuidOf = (staging: string): string => staging.slice(11, 43).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const isType = (error: unknown, type: string): boolean =>
  error instanceof Error && 'type' in error && error.type === type;
