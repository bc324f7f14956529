import { pluralize } from '@almanac/runtime';
import { join, resolve } from 'node:path';
import { type Command, homeOf } from './command.js';
import { UsageError } from '../error-message.js';

export const backup: Command = {
  words: 'backup',
  takes: '--to FOLDER',
  does: 'Copies the streams, ClickHouse and the bucket of the running system to a new folder. The copy has personal data.',
  options: ['to'],
  hasSubject: false,
  run: async (cliContext) => {
    const to = cliContext.text('to');
    if (to === undefined) throw new UsageError('Name a new folder with --to.');
    // Loaded here, because the clients of the stores take as long to load as everything else.
    const { backUp, knownFailure } = await import('../backup/backup.js');
    const { storesOf } = await import('../backup/stores.js');
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
