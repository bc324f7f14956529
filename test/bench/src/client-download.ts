import { readFileSync } from 'node:fs';
import { Almanac } from '@almanac/client/node';
import { z } from 'zod';
import { answerParent } from './worker.js';

const request = z.object({ baseUrl: z.string(), apiKey: z.string(), id: z.string(), path: z.string() });

/** `maxRSS` of a new process begins with the memory of its parent. */
const peakMb = (): number => {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
};

/** Downloads one export. Reports by how much the peak of the memory of this process rose. */
answerParent(async (message) => {
  const { baseUrl, apiKey, id, path } = request.parse(message);
  const almanac = new Almanac({ baseUrl, apiKey });
  // Node itself uses about 60 MB.
  const beforeMb = peakMb();
  await almanac.exports.download(id, path);
  return { addedMb: peakMb() - beforeMb };
});
