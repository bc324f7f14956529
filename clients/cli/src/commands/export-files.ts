import type { Export, SavedFile } from '@almanac/client/node';
import type { CommandContext } from '../command.js';
import { Interrupted } from '../errors.js';
import { progressBar } from '../output/progress-bar.js';
import { bytes, counted } from '../output/values.js';

/** Waits for an export with a bar. The export goes on if the command is interrupted. */
export const waitWithBar = async (context: CommandContext, id: string): Promise<Export> => {
  const { almanac, options, signal, terminal } = context;
  const bar = progressBar(terminal, 'Preparing', options.flag('quiet'));
  bar.show(0, null, '');
  try {
    return await almanac.exports.wait(id, {
      signal,
      deadlineMs: deadlineMs(context),
      onProgress: ({ progress, rows_done }) =>
        bar.show(progress ?? 0, progress === null ? null : 1, rows_done === null ? '' : counted(rows_done, 'row')),
    });
  } catch (error) {
    if (error instanceof Interrupted) {
      error.remedy = `The export goes on at the server: almanac-data exports download ${id} -o PATH`;
    }
    throw error;
  } finally {
    bar.end();
  }
};

/** The whole time of a command, from `--deadline`. */
export const deadlineMs = ({ options }: CommandContext): number | undefined => {
  const seconds = options.seconds('deadline');
  return seconds === undefined ? undefined : seconds * 1_000;
};

/** Stores a file with a bar. What has arrived of an interrupted one stays next to it, under another name. */
export const downloadWithBar = async (context: CommandContext, id: string, path: string): Promise<SavedFile> => {
  const { almanac, options, signal, terminal } = context;
  const bar = progressBar(terminal, 'Downloading', options.flag('quiet'));
  const startedMs = performance.now();
  let first: number | undefined;
  try {
    return await almanac.exports.download(id, path, {
      signal,
      overwrite: options.flag('overwrite'),
      deadlineMs: deadlineMs(context),
      onProgress: ({ done, total }) => {
        first ??= done;
        const rate = ((done - first) * 1_000) / Math.max(1, performance.now() - startedMs);
        bar.show(done, total, `${bytes(done)} of ${bytes(total)}, ${bytes(Math.round(rate))}/s`);
      },
    });
  } catch (error) {
    if (error instanceof Interrupted) error.remedy = 'The same download continues where this one ended.';
    throw error;
  } finally {
    bar.end();
  }
};
