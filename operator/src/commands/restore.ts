import { pluralize } from '@almanac/runtime';
import { resolve } from 'node:path';
import type { TargetOptions } from '../backup/target.js';
import { moment } from '../history/format.js';
import { partitionsIn } from '../partitions.js';
import { homeOf, type OfflineCommand, type CliInput } from './command.js';
import { UsageError } from '../error-message.js';

export const restore: OfflineCommand = {
  words: 'restore',
  takes: '--from FOLDER',
  does: 'Restores a backup to empty servers while no service runs. On one machine, set ALMANAC_HOME to a new folder.',
  options: ['from'],
  hasSubject: false,
  runOffline: async (typed) => {
    const from = typed.text('from');
    if (from === undefined) throw new UsageError('Name the folder of the backup with --from.');
    // Loaded here, because the clients of the stores take as long to load as everything else.
    const { checkBackup, restore: restoreInto } = await import('../backup/restore.js');
    const backup = await checkBackup(resolve(from));
    const { started_us, files } = backup.manifest;
    typed.note(`The backup of ${moment(started_us)} is complete: ${pluralize(files.count, 'file')}.`);
    const { NATS_URL: url } = typed.environment;
    if (url) {
      const { withTarget } = await import('../backup/target.js');
      await withTarget(targetOf(url, typed), (target) => restoreInto(backup, target));
    } else {
      const { restoreHome } = await import('../restore-home.js');
      await restoreHome(homeOf(typed), { print: typed.note }, (target) => restoreInto(backup, target));
    }
    typed.show([{ backup_ts: started_us / 1e6, files: files.count }], 'Restored. Start the services.');
  },
};

const targetOf = (url: string, { environment, note }: CliInput): TargetOptions => {
  const { NATS_PASSWORD: password, NATS_REPLICAS: replicas } = environment;
  const connection = {
    url,
    ...(password ? { password } : {}),
    ...(replicas ? { replicas: Number(replicas) } : {}),
    ...partitionsIn(environment),
  };
  return { connection, environment, print: note };
};
