import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerStarters } from '@almanac/local-servers';
import { unixMicros } from '@almanac/runtime';
import { z } from 'zod';
import { restoreHome } from '../restore-home.js';
import { objectMsMax } from './bucket.js';
import { type EarlierBackup, filesIn } from './earlier-backup.js';
import { DamagedBackup } from './files.js';
import { checkBackup, restore, type VerifiedBackup } from './restore.js';
import type { Target } from './target.js';

/** When a trial restore of a backup succeeded last. Beside its manifest, and not part of it. */
const recordName = 'verified.json';
const record = z.object({ verified_us: z.int(), seconds: z.number() });
export type Verified = z.output<typeof record>;

/**
 * Restores a backup into a temporary home, which compares every count, and then reads each object back. Leaves nothing but a
 * record of its success in the backup.
 */
export const verifyBackup = async (
  { folder }: Pick<EarlierBackup, 'folder'>,
  { print, servers }: { print: (line: string) => void; servers?: ServerStarters },
): Promise<Verified> => {
  const beganAt = performance.now();
  const backup = await checkBackup(folder);
  const home = await mkdtemp(join(process.env['TMPDIR'] ?? tmpdir(), 'almanac-verify-'));
  try {
    await restoreHome(home, { print, ...(servers && { servers }) }, async (target) => {
      await restore(backup, target);
      await requireSameObjects(backup, target);
    });
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  const verified = { verified_us: unixMicros(), seconds: (performance.now() - beganAt) / 1_000 };
  await writeFile(join(folder, recordName), `${JSON.stringify(verified)}\n`, { mode: 0o600 });
  return verified;
};

const requireSameObjects = async ({ folder }: VerifiedBackup, { stores: { objects } }: Target): Promise<void> => {
  for await (const { path, key = '', sha256 } of filesIn(folder, 'bucket')) {
    const found = await objects.read(key, { bodyMs: objectMsMax });
    const hash = createHash('sha256');
    if (found !== undefined) for await (const chunk of found.body) hash.update(chunk as Buffer);
    if (found === undefined || hash.digest('hex') !== sha256)
      throw new DamagedBackup(path, 'is another object after a restore');
  }
};

/** Times for Prometheus, as a file for the textfile collector of node_exporter. Renamed, so that no half of it is read. */
export const writeBackupMetrics = async (
  path: string,
  { startedUs, verified }: { startedUs: number; verified: Verified },
): Promise<void> => {
  const gauge = (name: string, help: string, us: number): string =>
    `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${us / 1e6}\n`;
  const text = [
    gauge('almanac_backup_verified_timestamp_seconds', 'start of the backup that was restored last', startedUs),
    gauge('almanac_backup_verification_timestamp_seconds', 'end of the last trial restore', verified.verified_us),
  ].join('');
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
};
