import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { BenchRow } from './row.js';
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

/** A long row needs the beginning of its name, so that a word which it shares with others does not start an hour of work. */
export const isSelected = (
  { name, isLong = false }: Pick<BenchRow, 'name' | 'isLong'>,
  { parts, size }: Pick<BenchOptions, 'parts' | 'size'>,
): boolean => {
  if (parts.length === 0) return !isLong || !size.isMeasurement;
  return parts.some((part) => (isLong ? name.startsWith(part) : name.includes(part)));
};
