import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { endedReason } from './capture.js';

/** A capture that was killed, or whose machine died, before its recording ended. */
export interface KilledCapture {
  readonly folder: string;
  /** Time of the last recorded line, integer microseconds. */
  readonly lastUs: number;
}

/** The last capture of this name (`kalshi-KXBTC15M`), or null if there was none or it recorded its end. */
export const killedCapture = async (captures: string, name: string): Promise<KilledCapture | null> => {
  const last = (await namesIn(captures)).findLast(
    (each) => each.startsWith(`${name}-`) && started.test(each.slice(name.length)),
  );
  if (last === undefined) return null;
  const folder = join(captures, last);
  for (const part of (await namesIn(folder)).toReversed()) {
    const bytes = await readFile(join(folder, part));
    const text = (part.endsWith('.gz') ? await unpacked(bytes) : bytes).toString('utf8');
    // A line that was cut off still counts.
    const [, time] =
      Array.from(text.slice(text.lastIndexOf('\n', text.length - 2) + 1).matchAll(received)).at(-1) ?? [];
    if (time !== undefined) return text.includes(`"lost": "${endedReason}"`) ? null : { folder, lastUs: Number(time) };
  }
  return null;
};

const started = /^-\d{8}T\d{6}Z$/;
const received = /^\{"recv_ts_ns": (\d+)000,/gm;
const unpacked = promisify(gunzip);

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};
