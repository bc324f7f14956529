import { z } from 'zod';
import { UsageError } from '../error-message.js';
import { moment } from '../history/format.js';
import type { EarlierBackup } from './earlier-backup.js';

const time = z.union([
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text) * 1_000),
  z
    .string()
    .regex(/^\d{1,10}(\.\d{1,6})?$/)
    .transform((text) => Number(text) * 1e6),
]);

/**
 * The newest of the backups, oldest first, that ended by a moment. A copy of a running system may have anything that happened
 * until its end, so one that was being made at that moment is not taken.
 */
export const backupAt = (backups: readonly EarlierBackup[], at: string): EarlierBackup => {
  const parsed = time.safeParse(at);
  if (!parsed.success) throw new UsageError('The time of --at must be Unix seconds or such as 2026-11-21T18:00:00Z.');
  const [oldest] = backups;
  if (oldest === undefined) throw new UsageError('The folder of --from has no complete backup.');
  const found = backups.findLast(({ manifest }) => manifest.ended_us <= parsed.data);
  if (found !== undefined) return found;
  throw new UsageError(`No backup ended by then. The oldest one ended at ${moment(oldest.manifest.ended_us)}.`);
};
