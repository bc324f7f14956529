import { pluralize } from '@almanac/runtime';
import { resolve } from 'node:path';
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
    const stores = await storesOf(cliContext.environment, homeOf(cliContext));
    try {
      const { started_us, ended_us, files } = await backUp(cliContext.bus, {
        folder: resolve(to),
        stores,
        print: cliContext.note,
      });
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
