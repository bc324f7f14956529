import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchSize, full, smoke } from './size.js';

export interface BenchOptions {
  readonly size: BenchSize;
  /** Parts of row names. Without any, every row is measured. */
  readonly parts: readonly string[];
  /** Folder for CPU profiles of the services. */
  readonly profile: string | undefined;
}

/** Parses `[parts of names] [--smoke] [--profile FOLDER]`. Throws for an unknown option. */
export const optionsOf = (args: readonly string[]): BenchOptions => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { smoke: { type: 'boolean', default: false }, profile: { type: 'string' } },
  });
  return {
    size: values.smoke ? smoke : full,
    parts: positionals,
    profile: values.profile === undefined ? undefined : resolve(values.profile),
  };
};
