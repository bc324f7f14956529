import { pluralize } from '@almanac/runtime';
import { join, resolve } from 'node:path';
import type { EarlierBackup } from '../backup/earlier-backup.js';
import { type CliInput, type Command, homeOf } from './command.js';
import { UsageError } from '../error-message.js';

export const backup: Command = {
  words: 'backup',
  takes: '--to FOLDER [--type full|incr]',
  does: 'Copies the streams, ClickHouse and the bucket of the running system to a new folder. With --type incr, it shares unchanged files with the newest backup beside that folder. The copy has personal data.',
  options: ['to', 'type'],
  hasSubject: false,
  run: async (cliContext) => {
    const to = cliContext.text('to');
    if (to === undefined) throw new UsageError('Name a new folder with --to.');
    // Loaded here, because the clients of the stores take as long to load as everything else.
    const { backUp, knownFailure } = await import('../backup/backup.js');
    const { storesOf } = await import('../backup/stores.js');
    const earlier = isIncremental(cliContext) ? await earlierOf(resolve(to), cliContext) : undefined;
    const home = homeOf(cliContext);
    const stores = await storesOf(cliContext.environment, home);
    // Elsewhere, imports run on machines of their own.
    const isLocal = !cliContext.environment['CLICKHOUSE_URL'];
    try {
      const { started_us, ended_us, files } = await backUp(cliContext.bus, {
        folder: resolve(to),
        stores,
        print: cliContext.note,
        importHome: isLocal ? home : null,
        earlier,
      });
      const secrets = isLocal ? join(home, 'secrets.json') : 'WEBHOOK_SECRET and SESSION_SECRET';
      cliContext.note(`A backup has no secrets. Keep ${secrets} in another place: a restore needs it.`);
      const seconds = (ended_us - started_us) / 1e6;
      cliContext.show(
        [{ folder: resolve(to), files: files.count, seconds }],
        `The backup in ${to} is complete: ${pluralize(files.count, 'file')} in ${seconds.toFixed(1)} s.`,
      );
    } catch (error) {
      throw knownFailure(error);
    } finally {
      await stores.close();
    }
  },
};

const isIncremental = ({ text }: CliInput): boolean => {
  const type = text('type') ?? 'full';
  if (type !== 'full' && type !== 'incr') throw new UsageError('The type of a backup is full or incr.');
  return type === 'incr';
};

const earlierOf = async (folder: string, { note }: CliInput): Promise<EarlierBackup | undefined> => {
  const { earlierBackup } = await import('../backup/earlier-backup.js');
  const earlier = await earlierBackup(folder);
  note(earlier ? `Incremental to ${earlier.folder}` : 'No earlier backup is beside this folder, so this one is full.');
  return earlier;
};
