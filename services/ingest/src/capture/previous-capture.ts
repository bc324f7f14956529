import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { endedReason } from './capture.js';

/**
 * The folder of the last capture of this name (`kalshi-KXBTC15M`) if it was killed, or its machine died, before its
 * recording ended. Otherwise null.
 */
export const killedCapture = async (captures: string, name: string): Promise<string | null> => {
  const last = (await namesIn(captures)).findLast(
    (each) => each.startsWith(`${name}-`) && started.test(each.slice(name.length)),
  );
  if (last === undefined) return null;
  const folder = join(captures, last);
  for (const part of (await namesIn(folder)).toReversed()) {
    const bytes = await readFile(join(folder, part));
    const text = (part.endsWith('.gz') ? await unpacked(bytes) : bytes).toString('utf8');
    if (received.test(text)) return text.includes(`"lost": "${endedReason}"`) ? null : folder;
  }
  return null;
};

const started = /^-\d{8}T\d{6}Z$/;
const received = /^\{"recv_ts_ns": \d/m;
const unpacked = promisify(gunzip);

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};
