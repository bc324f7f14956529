import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pluralize } from '@almanac/runtime';
import { UsageError } from '../error-message.js';
import { type CliInput, type OfflineCommand } from './command.js';

export const backupExpire: OfflineCommand = {
  words: 'backup expire',
  takes: '--from FOLDER [--keep-last N] [--keep-daily N] [--keep-weekly N] [--keep-monthly N] [--yes]',
  does: 'Removes the backups in a folder that no rule keeps. Without --yes, it only lists them. The newest one always stays.',
  options: ['from', 'keep-last', 'keep-daily', 'keep-weekly', 'keep-monthly', 'yes'],
  hasSubject: false,
  runOffline: async (typed) => {
    const from = typed.text('from');
    if (from === undefined) throw new UsageError('Name the folder that has the backups with --from.');
    const retention = retentionOf(typed);
    const { backupsIn } = await import('../backup/earlier-backup.js');
    const { expired } = await import('../backup/retention.js');
    const { complete, others } = await backupsIn(resolve(from));
    if (complete.length === 0) throw new UsageError(`${from} has no complete backup.`);
    const gone = expired(complete, retention);
    for (const folder of others) typed.note(`Not a complete backup, so it stays: ${folder}`);
    // Files that newer backups share stay on the disk.
    if (typed.yes) for (const { folder } of gone) await rm(folder, { recursive: true });
    const staying = pluralize(complete.length - gone.length, 'backup');
    const lines = gone.map(({ folder }) => `${typed.yes ? 'Removed' : 'Would remove'} ${folder}`);
    const hint = gone.length > 0 && !typed.yes ? ' Add --yes to remove the others.' : '';
    typed.show(
      gone.map(({ folder }) => ({ folder, removed: typed.yes })),
      [...lines, `${staying} ${complete.length - gone.length === 1 ? 'stays' : 'stay'}.${hint}`].join('\n'),
    );
  },
};

const rules = ['last', 'daily', 'weekly', 'monthly'] as const;

const retentionOf = ({ text }: CliInput) => {
  const numberOf = (rule: (typeof rules)[number]): number => {
    const given = text(`keep-${rule}`) ?? '0';
    if (!/^\d{1,4}$/.test(given)) throw new UsageError(`--keep-${rule} is a number of backups.`);
    return Number(given);
  };
  if (rules.every((rule) => text(`keep-${rule}`) === undefined))
    throw new UsageError('Say what stays: --keep-daily 7 --keep-weekly 5, for example.');
  return {
    last: numberOf('last'),
    daily: numberOf('daily'),
    weekly: numberOf('weekly'),
    monthly: numberOf('monthly'),
  };
};
