import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { editDistance } from '@almanac/runtime';
import { type BenchEntry, isRow } from './row.js';
import { type BenchSize, full, smoke } from './size.js';

export interface BenchOptions {
  readonly size: BenchSize;
  /** Parts of names. */
  readonly names: readonly string[];
  /** Only lists the profiles. */
  readonly listsProfiles: boolean;
  /** Folder for CPU profiles of the services. */
  readonly cpuProfiles: string | undefined;
}

/** Parses `[parts of names] [--smoke] [--profiles] [--cpu-profiles FOLDER]`. Throws for an unknown option. */
export const optionsOf = (args: readonly string[]): BenchOptions => {
  const flag = { type: 'boolean', default: false } as const;
  const options = { smoke: flag, profiles: flag, 'cpu-profiles': { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const folder = values['cpu-profiles'];
  return {
    size: values.smoke ? smoke : full,
    names: positionals,
    listsProfiles: values.profiles,
    cpuProfiles: folder === undefined ? undefined : resolve(folder),
  };
};

/** A whole run has the rows, and a smoke run also the profiles. With names, rows and profiles are alike. */
export const selectedOf = (
  entries: readonly BenchEntry[],
  { names, size }: Pick<BenchOptions, 'names' | 'size'>,
): readonly BenchEntry[] => {
  if (names.length === 0) return size.isMeasurement ? entries.filter(isRow) : entries;
  return entries.filter(({ name }) => names.some((part) => name.toLowerCase().includes(part.toLowerCase())));
};

const nearest = 5;

/** The message for names that select nothing. */
export const noMatch = (entries: readonly BenchEntry[], names: readonly string[]): string => {
  const distance = (name: string): number => Math.min(...names.map((part) => distanceTo(name, part)));
  const near = entries.map(({ name }) => name).toSorted((one, other) => distance(one) - distance(other));
  return [
    `The name of no row or profile contains ${names.join(' or ')}. The nearest names are:`,
    ...near.slice(0, nearest).map((name) => `  ${name}`),
    'docs/performance.md has all rows, and --profiles lists the profiles.',
  ].join('\n');
};

/** Of the words of a name that begin anywhere, as many as the part has. */
const distanceTo = (name: string, part: string): number => {
  const [words, count] = [name.toLowerCase().split(/[ ,]+/), part.trim().split(/[ ,]+/).length];
  const pieces = words.map((_, at) => words.slice(at, at + count).join(' '));
  return Math.min(...pieces.map((piece) => editDistance(part.toLowerCase(), piece)));
};

/** A line for each profile. */
export const profileLines = (entries: readonly BenchEntry[]): string[] => {
  const profiles = entries.flatMap((entry) => (isRow(entry) ? [] : [entry]));
  const width = Math.max(...profiles.map(({ name }) => name.length));
  return profiles.map(({ name, shows }) => `${name.padEnd(width)}  ${shows}`);
};
