import type { SyncOptions } from '@almanac/client/node';
import type { CommandSpec, Result } from '../command.js';
import { Interrupted } from '../errors.js';
import { progressBar } from '../output/progress-bar.js';
import { count, counted } from '../output/values.js';
import { streamsOption, syncFormats } from './export-request.js';

const sync: CommandSpec = {
  name: 'sync',
  endsItself: true,
  summary: 'Keep a folder up to date with the archive',
  details: [
    'Exports each event as one file. The next run exports only what changed, and goes on where an interrupted one ended.',
    'The Python client reads and continues the same folder.',
  ],
  args: [{ name: 'FOLDER', completes: 'folders' }],
  options: {
    series: { value: 'ID', summary: 'Only of these series', isList: true },
    format: { value: 'FORMAT', summary: 'The format of the files. Default: parquet', choices: syncFormats },
    streams: streamsOption,
    live: { summary: 'Also export events that are not over yet' },
    recheck: { summary: 'Also export events that have not changed in the catalogue' },
  },
  examples: [
    'almanac-data sync copy/ --series GENBTC15M',
    'almanac-data sync copy/ --series GENRATE --format csv --live',
  ],
  run: async ({ almanac, args, options, terminal, signal }): Promise<Result> => {
    const [folder = ''] = args;
    const bar = progressBar(terminal, 'Syncing', options.flag('quiet'));
    try {
      const result = await almanac.sync(folder, {
        series: options.list('series'),
        format: options.text('format') as SyncOptions['format'],
        streams: options.list('streams') as SyncOptions['streams'],
        live: options.flag('live'),
        recheck: options.flag('recheck'),
        signal,
        onProgress: ({ done, total }) => bar.show(done, total, `${count(done)} of ${counted(total, 'event')}`),
      });
      bar.end();
      const { downloaded, unchanged, live } = result;
      const remarks =
        live > 0 && !options.flag('live')
          ? [`${count(live)} ${live === 1 ? 'event is' : 'events are'} not over yet. Add --live to export them too.`]
          : [];
      const lines = [`${counted(downloaded, 'file')} downloaded, ${count(unchanged)} unchanged.`];
      return { json: [JSON.stringify(result)], items: [result], lines, remarks };
    } catch (error) {
      bar.end();
      if (error instanceof Interrupted) error.remedy = 'Every finished file is stored. The next run goes on from here.';
      throw error;
    }
  },
};

export const syncCommands: readonly CommandSpec[] = [sync];
