import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { positionSchema, streamExtent, streamSettings } from '@almanac/bus';
import { micros } from '@almanac/contracts';
import { z } from 'zod';
import { UsageError } from '../commands/command.js';
import { writePrivate } from '../secrets.js';
import { backupFile, DamagedBackup } from './files.js';

/** What a backup is of, and what must be there again when it was restored. Without one a folder is no backup. */
const manifest = z.object({
  format: z.literal(1),
  begun_us: micros,
  ended_us: micros,
  nats_version: z.string(),
  streams: z.array(z.object({ name: z.string(), path: z.string(), extent: streamExtent, config: streamSettings })),
  /** Of the durable consumers, asked before the first stream was copied. */
  positions: z.array(positionSchema),
  clickhouse: z.object({
    version: z.string(),
    database: z.string(),
    /** Names of the migrations that it had. */
    schema: z.array(z.string()),
    /** Rows as a question sees them, at least; more may have come while it was copied. */
    tables: z.array(z.object({ name: z.string(), rows: z.int() })),
  }),
  objects: z.object({ count: z.int(), bytes: z.int() }),
  files: z.object({ count: z.int(), list: backupFile }),
});
export type Manifest = z.output<typeof manifest>;

const name = 'manifest.json';
const sumName = 'manifest.sha256';

const sumLine = (text: string): string => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;

/** The last that is written: a backup that was cut off has none. */
export const writeManifest = async (folder: string, written: Manifest): Promise<void> => {
  const text = `${JSON.stringify(written, undefined, 2)}\n`;
  await writePrivate(join(folder, name), text);
  await writePrivate(join(folder, sumName), sumLine(text));
};

/** Throws a UsageError where there is no whole backup, a DamagedBackup where its manifest is another. */
export const readManifest = async (folder: string): Promise<Manifest> => {
  const [text, sum] = await Promise.all(
    [name, sumName].map((one) => readFile(join(folder, one), 'utf8').catch(() => '')),
  );
  if (text === '' || text === undefined || sum === '') {
    throw new UsageError(
      `${folder} has no complete backup: ${name} or ${sumName} is missing. A backup writes these files last.`,
    );
  }
  if (sum !== sumLine(text)) throw new DamagedBackup(name, `is not the one that ${sumName} was made of`);
  const { format } = z.looseObject({ format: z.int() }).parse(JSON.parse(text));
  if (format !== 1) throw new UsageError(`This backup has format ${format}, but this version restores only format 1.`);
  return manifest.parse(JSON.parse(text));
};
