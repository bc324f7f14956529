import { Almanac } from '@almanac/client/node';
import { z } from 'zod';
import { answerParent } from './worker.js';

const request = z.object({ baseUrl: z.string(), authorization: z.string(), id: z.string(), path: z.string() });

const peakMb = (): number => process.resourceUsage().maxRSS / 1_024;

/** Downloads one export. Reports the duration, and by how much the peak of the memory of this process rose. */
answerParent(async (message) => {
  const { baseUrl, authorization, id, path } = request.parse(message);
  const almanac = new Almanac({ baseUrl, apiKey: authorization.replace('Bearer ', '') });
  // Node itself uses about 60 MB.
  const beforeMb = peakMb();
  const startedAt = performance.now();
  await almanac.exports.download(id, path);
  return { seconds: (performance.now() - startedAt) / 1_000, addedMb: peakMb() - beforeMb };
});
