import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ImportError, sentenceOf } from './errors.js';

export const usage = `Usage: npm run import -- <files or folders> [--mapping FILE] [--dry-run]

  <files or folders>  CSV, JSON lines or JSON, plain or gzip; folders are walked
  --mapping FILE      the mapping for all of them; else what each file is seen to be
  --dry-run           read and check everything, store nothing`;

export interface ImportArguments {
  readonly paths: readonly string[];
  readonly mapping: string | null;
  readonly dryRun: boolean;
}

/** The command line; null when help was asked for. Throws an `ImportError` with the usage when it cannot be used. */
export const parseArguments = (given: readonly string[], folder: string): ImportArguments | null => {
  const { values, positionals } = parsed(given);
  if (values.help === true) return null;
  if (positionals.length === 0) throw new ImportError(`no file or folder is named.\n\n${usage}`);
  const paths = positionals.map((path) => resolve(folder, path));
  const mapping = values.mapping === undefined ? null : resolve(folder, values.mapping);
  return { paths, mapping, dryRun: values['dry-run'] === true };
};

const parsed = (given: readonly string[]) => {
  try {
    return parseArgs({
      args: [...given],
      allowPositionals: true,
      options: { mapping: { type: 'string' }, 'dry-run': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (cause) {
    throw new ImportError(`${sentenceOf(cause)}\n\n${usage}`, { cause });
  }
};

/** npm starts a script in the package's folder; relative paths are meant from where the person stands. */
export const callerFolder = (environment: NodeJS.ProcessEnv): string =>
  (environment['npm_lifecycle_event'] === 'import' ? environment['INIT_CWD'] : undefined) ?? process.cwd();
