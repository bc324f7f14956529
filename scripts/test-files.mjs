// Which test files exist, and which of them a command runs. `.github/workflows/tests.yml` names parts of the gate, which
// a test compares with these.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { workspaceFolders } from './provision.mjs';
import { repository } from './steps.mjs';

/** Finds test files by their source, so that a compiled test of a deleted source does not run. */
export const testFiles = () => {
  const files = [];
  for (const folder of workspaceFolders()) {
    for (const source of sourcesIn(join(folder, 'src'))) {
      if (!source.endsWith('.spec.ts')) continue;
      files.push(relative(repository, join(folder, 'dist', source.replace(/\.ts$/, '.js'))));
    }
  }
  // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted.
  return files.sort((one, other) => (one < other ? -1 : 1));
};

export const needsEngine = (file) => file.includes('.containers.spec.');
export const isLong = (file) => file.includes('.long.spec.');
/** Not for every change: they need minutes, root or recordings. */
const isOnlyFull = (file) => /\.(full|recordings)\.spec\./.test(file);

/** The kinds of files that these options run. */
export const isOfKind = ({ fast, full, long, containers }) => {
  if (long) return isLong;
  if (containers) return (file) => !isLong(file) && !isOnlyFull(file);
  const isGate = (file) => !isLong(file) && !needsEngine(file) && !isOnlyFull(file);
  if (full) return (file) => isGate(file) || isOnlyFull(file);
  return fast ? (file) => isGate(file) && !needsServers(file) : isGate;
};
export const needsServers = (file) => /\.(int|e2e)\./.test(file);

const sourcesIn = (folder, inside = '') => {
  if (!existsSync(folder)) return [];
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = join(inside, entry.name);
    return entry.isDirectory() ? sourcesIn(folder, path) : [path];
  });
};

/** The files whose path contains one of the parts. Without a part, all. */
export const namedIn = (files, parts) =>
  files.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));
