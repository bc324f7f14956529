import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repository } from './home.js';
import { secondsSince } from './pairs.js';
import { processMemory } from './process-memory.js';

/** The flags of `npm run import`. */
const flags = ['--max-semi-space-size=4', join(repository, 'services/ingest/dist/bundled/main.js')];
const lookMs = 100;

export interface Imported {
  readonly seconds: number;
  readonly peakMb: number;
  /** The end of what it printed. */
  readonly output: string;
}

/** Runs `npm run import` as an operator does, with its start. Throws with its output when it fails. */
export const importFiles = async (home: string, args: readonly string[]): Promise<Imported> => {
  const startedAt = performance.now();
  const env = { ...process.env, ALMANAC_HOME: home };
  const child = spawn(process.execPath, [...flags, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, peakMb] = ['', 0];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4_000)));
  const look = setInterval(() => {
    void processMemory(child.pid).then(({ mostMb }) => (peakMb = Math.max(peakMb, mostMb)));
  }, lookMs);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`the import ended with ${code}: ${output}`);
    return { seconds: secondsSince(startedAt), peakMb, output };
  } finally {
    clearInterval(look);
  }
};
