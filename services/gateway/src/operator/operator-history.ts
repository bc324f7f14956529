import { randomUUID } from 'node:crypto';
import type { OperatorHistory, OperatorSample } from '@almanac/contracts';
import { diskSpaceOf } from '@almanac/runtime';
import { readReports, type StatusSources } from './operator-status.js';
import { sampleFiles } from './sample-files.js';
import { type CountedAt, takeSample } from './take-sample.js';

const storedS = 86_400;

interface HistoryOptions {
  /** Where samples outlive the process. */
  readonly folder?: string | undefined;
  readonly everyMs?: number;
  /** The other processes of a system that starts are there by then. */
  readonly firstMs?: number;
}

/** Samples the whole system every minute, and keeps a day of it: in memory, and in the folder if there is one. */
export const startOperatorHistory = async (
  sources: StatusSources,
  { folder, everyMs = 60_000, firstMs = 5_000 }: HistoryOptions,
) => {
  const { log } = sources;
  const files = folder === undefined ? undefined : sampleFiles(folder);
  /** By the time of the step: gateways that share a folder each have a line for it. */
  const samples = new Map<number, OperatorSample>();
  let before: CountedAt | undefined;
  const keep = (sample: OperatorSample): void => {
    samples.set(Math.floor((sample.ts * 1_000) / everyMs), sample);
    for (const [step, { ts }] of samples) {
      if (ts >= sample.ts - storedS) break;
      samples.delete(step);
    }
  };
  const sampleNow = async (): Promise<void> => {
    try {
      const reports = await readReports(sources, { context: { requestId: randomUUID() }, withMetrics: true });
      const disk = folder === undefined ? undefined : await diskSpaceOf(folder);
      const { sample, counted } = takeSample({ ts: Date.now() / 1_000, ...reports, disk }, before);
      before = counted;
      keep(sample);
      await files?.append(sample);
    } catch (error) {
      log.warn({ err: error }, 'a sample of the operator history could not be taken or stored');
    }
  };
  try {
    const now = Date.now() / 1_000;
    for (const sample of (await files?.read(now)) ?? []) if (sample.ts >= now - storedS) keep(sample);
  } catch (error) {
    log.warn({ err: error, folder }, 'the operator history of before could not be read');
  }
  let timer = setTimeout(() => void run(), firstMs);
  let isStopped = false;
  const run = async (): Promise<void> => {
    await sampleNow();
    if (!isStopped) timer = setTimeout(() => void run(), everyMs);
  };
  return {
    read: (): OperatorHistory => ({
      every_s: Math.round(everyMs / 1_000),
      stored_s: storedS,
      has_folder: folder !== undefined,
      samples: [...samples.values()],
    }),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};
