import { resolve } from 'node:path';
import { UsageError } from '../error-message.js';
import { moment } from '../history/format.js';
import type { OfflineCommand } from './command.js';

export const backupVerify: OfflineCommand = {
  words: 'backup verify',
  takes: '--from FOLDER [--metrics FILE]',
  does: 'Restores a backup, or the newest one in a folder, into a temporary home, compares all counts and hashes, and removes it again.',
  options: ['from', 'metrics'],
  hasSubject: false,
  runOffline: async (typed) => {
    const from = typed.text('from');
    if (from === undefined) throw new UsageError('Name a backup, or the folder that has the backups, with --from.');
    const { backupsIn } = await import('../backup/earlier-backup.js');
    const { hasManifest, readManifest } = await import('../backup/manifest.js');
    const { verifyBackup, writeBackupMetrics } = await import('../backup/verify.js');
    const folder = resolve(from);
    const isBackup = hasManifest(folder);
    const newest = isBackup ? undefined : (await backupsIn(folder)).complete.at(-1);
    if (!isBackup && newest === undefined) throw new UsageError(`${from} has no complete backup.`);
    const backup = newest?.folder ?? folder;
    const verified = await verifyBackup({ folder: backup }, { print: typed.note });
    const { started_us } = await readManifest(backup);
    const metrics = typed.text('metrics');
    if (metrics !== undefined) await writeBackupMetrics(resolve(metrics), { startedUs: started_us, verified });
    typed.show(
      [{ folder: backup, backup_ts: started_us / 1e6, seconds: verified.seconds }],
      `The backup of ${moment(started_us)} in ${backup} was restored and compared in ${verified.seconds.toFixed(1)} s.`,
    );
  },
};
