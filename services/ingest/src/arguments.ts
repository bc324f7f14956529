import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { everyChangeUs } from '@almanac/contracts';
import { ImportError, sentenceOf } from './errors.js';
import type { ImportOptions } from './import/import-file.js';
import { placeOrPath } from './places/place-list.js';
import { readDuration } from './values/time.js';

export const usage = `Usage: npm run import -- <files, folders or places> [--from FILE] [--mapping FILE] [--sample INTERVAL] [--sequence RULE] [--exact] [--allow-empty] [--again] [--allow-host HOST] [--json] [--dry-run | --explain]

  <files or folders>  CSV, JSON, JSON lines, Parquet, Arrow, SQLite, also compressed, in zip or in tar, and recordings of order
                      books. Folders are read recursively A glob in quotes: 'data/**/*.parquet'
  <places>            https://host/path, s3://bucket/key, s3://bucket/prefix and s3://bucket/glob
  --from FILE         read files, folders and places from this list, one a line. - is standard input
  --mapping FILE      import only the files that this mapping describes. Default: detect the format of each file
  --sample INTERVAL   order books: store the last state of each interval (500ms, 1s, 1m), or every-change. Default: 1s
  --sequence RULE     recorded frames: their numbers count over markets that the files may not have (shared), in each
                      market (market), or mean nothing (none). Default: as all files of the import show
  --exact             refuse values with more digits than the archive stores. Default: store fewer digits and count it
  --allow-empty       exit with 0 although a file gave nothing. Default: 1
  --again             read objects of places again that did not change. Default: skip them
  --allow-host HOST   a host that a redirect of a place may lead to. Can be repeated
  --json              print one JSON document with all counts at the end instead of the report
  --dry-run           read and check everything, store nothing
  --explain           show what the files hold, what reads them, and a mapping to start from. Stores nothing`;

export interface ImportArguments {
  readonly paths: readonly string[];
  /** A list of further paths. */
  readonly from: string | null;
  /** Hosts that a redirect may lead to. */
  readonly allowedHosts: readonly string[];
  /** Whether to read objects of places that did not change. */
  readonly again: boolean;
  readonly mapping: string | null;
  readonly dryRun: boolean;
  readonly explain: boolean;
  readonly exact: boolean;
  readonly json: boolean;
  /** What the numbers of recorded frames say. Null: as the files show. */
  readonly sequence: ImportOptions['sequence'] | null;
  /** Whether files that give nothing are expected. */
  readonly allowEmpty: boolean;
  /** In microseconds. */
  readonly sampleUs: number;
}

/** Parses the command line; null for `--help`. Throws an `ImportError` with the usage if the arguments are invalid. */
export const parseArguments = (given: readonly string[], folder: string): ImportArguments | null => {
  const { values, positionals } = parsed(given);
  if (values.help === true) return null;
  if (positionals.length === 0 && values.from === undefined)
    throw new ImportError(`Name at least one file or folder.\n\n${usage}`);
  const paths = positionals.map((path) => placeOrPath(path, folder));
  const mapping = values.mapping === undefined ? null : resolve(folder, values.mapping);
  return {
    paths,
    from: values.from ?? null,
    allowedHosts: values['allow-host'] ?? [],
    again: values.again === true,
    mapping,
    dryRun: values['dry-run'] === true,
    explain: values.explain === true,
    exact: values.exact === true,
    json: values.json === true,
    allowEmpty: values['allow-empty'] === true,
    sequence: sequenceOf(values.sequence),
    sampleUs: sampleOf(values.sample ?? '1s'),
  };
};

const sequenceOf = (text: string | undefined): ImportArguments['sequence'] => {
  if (text === undefined) return null;
  if (text === 'shared' || text === 'market' || text === 'none') return text;
  throw new ImportError(`--sequence must be shared, market or none, not ${text}.\n\n${usage}`);
};

const sampleUsMax = 3_600_000_000;

/** A sampling interval in microseconds, or null if the text is neither `every-change` nor between 1ms and 1h. */
export const readSample = (text: string): number | null => {
  if (text === 'every-change') return everyChangeUs;
  const [, ms] = /^(\d+)ms$/.exec(text) ?? [];
  const us = ms === undefined ? readDuration(text) : Number(ms) * 1_000;
  return us === null || us < 1 || us > sampleUsMax ? null : us;
};

const sampleOf = (text: string): number => {
  const us = readSample(text);
  if (us === null)
    throw new ImportError(`--sample must be every-change or an interval from 1ms to 1h, not ${text}.\n\n${usage}`);
  return us;
};

const parsed = (given: readonly string[]) => {
  try {
    return parseArgs({
      args: [...given],
      allowPositionals: true,
      options: {
        mapping: { type: 'string' },
        from: { type: 'string' },
        again: { type: 'boolean' },
        'allow-host': { type: 'string', multiple: true },
        sample: { type: 'string' },
        sequence: { type: 'string' },
        'dry-run': { type: 'boolean' },
        explain: { type: 'boolean' },
        exact: { type: 'boolean' },
        json: { type: 'boolean' },
        'allow-empty': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (cause) {
    throw new ImportError(`${sentenceOf(cause)}\n\n${usage}`, { cause });
  }
};

/** npm runs a script in the package's folder, but relative paths refer to the caller's folder. */
export const callerFolder = (environment: NodeJS.ProcessEnv): string =>
  (environment['npm_lifecycle_event'] === 'import' ? environment['INIT_CWD'] : undefined) ?? process.cwd();
