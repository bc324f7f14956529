import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { positionSchema, streamExtent, streamSettings } from '@almanac/bus';
import { micros } from '@almanac/contracts';
import { z } from 'zod';
import { UsageError } from '../error-message.js';
import { writePrivate } from '../secrets.js';
import { backupFile, DamagedBackup } from './files.js';

/** What a backup contains and a restore must reproduce. A folder without a manifest is not a backup. */
const manifest = z.object({
  format: z.union([z.literal(1), z.literal(2)]),
  started_us: micros,
  ended_us: micros,
  nats_version: z.string(),
  streams: z.array(z.object({ name: z.string(), path: z.string(), extent: streamExtent, config: streamSettings })),
  /** From which WEBHOOK_SECRETs webhooks derive their secrets. Null if an earlier release derived them. Earlier backups do not say. */
  webhook_secrets: z.array(z.object({ fingerprint: z.string().nullable(), webhooks: z.int() })).optional(),
  /** Positions of the durable consumers before the first stream was copied. */
  positions: z.array(positionSchema),
  clickhouse: z.object({
    version: z.string(),
    database: z.string(),
    /** Of a cluster. */
    shards: z.int().optional(),
    /** ClickHouse wrote only what a full backup lacks, which this backup has as well. Since format 2. */
    incremental: z.boolean().optional(),
    /** Names of the applied migrations. */
    schema: z.array(z.string()),
    /** The rows that a query sees. The copy may have more. */
    tables: z.array(z.object({ name: z.string(), rows: z.int() })),
  }),
  objects: z.object({ count: z.int(), bytes: z.int() }),
  files: z.object({ count: z.int(), list: backupFile }),
});
export type Manifest = z.output<typeof manifest>;

const name = 'manifest.json';
const sumName = 'manifest.sha256';

const sumLine = (text: string): string => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;

/** Whether a folder is a backup, complete or not. */
export const hasManifest = (folder: string): boolean => existsSync(join(folder, name));

/** Written last, so an interrupted backup has no manifest. */
export const writeManifest = async (folder: string, written: Manifest): Promise<void> => {
  const text = `${JSON.stringify(written, undefined, 2)}\n`;
  await writePrivate(join(folder, name), text);
  await writePrivate(join(folder, sumName), sumLine(text));
};

/** Throws a UsageError without a complete backup, and a DamagedBackup if the manifest was changed. */
export const readManifest = async (folder: string): Promise<Manifest> => {
  const [text, sum] = await Promise.all(
    [name, sumName].map((one) => readFile(join(folder, one), 'utf8').catch(() => '')),
  );
  if (text === '' || text === undefined || sum === '') {
    throw new UsageError(
      `${folder} has no complete backup: ${name} or ${sumName} is missing. A backup writes these files last.`,
    );
  }
  if (sum !== sumLine(text)) throw new DamagedBackup(name, `does not match ${sumName}`);
  const { begun_us, ...written } = z
    .looseObject({ format: z.int(), begun_us: micros.optional() })
    .parse(JSON.parse(text));
  const { format } = written;
  if (format !== 1 && format !== 2)
    throw new UsageError(`This backup has format ${format}, but this version restores only formats 1 and 2.`);
  // Builds before release 0.1.0 wrote `begun_us`.
  return manifest.parse({ started_us: begun_us, ...written });
};
