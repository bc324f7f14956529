import { withTimeout } from '@almanac/runtime';
import type { Bus } from './bus.js';
import { heartbeatStream, subjects } from './names.js';
import { rawJetStream } from './raw-jetstream.js';

/** Read the positions of streams, create the stream of heartbeats and write to it. For the keys service. */
export const heartbeatSubjects: readonly string[] = [
  ...['EVT_COMMERCE', 'EVT_ARCHIVE', 'EVT_CATALOG'].map((stream) => `$JS.API.STREAM.INFO.${stream}`),
  subjects.storedHeartbeat,
  ...['CREATE', 'UPDATE', 'INFO'].map((operation) => `$JS.API.STREAM.${operation}.${heartbeatStream}`),
];

/**
 * Stores a message, and throws if it is not acknowledged in time. A leader acknowledges only what a majority of its
 * replicas stored, so a leader that is cut off from them cannot.
 */
export const storeHeartbeat = async (bus: Bus, timeoutMs: number): Promise<void> => {
  const stored = bus[rawJetStream].js.publish(subjects.storedHeartbeat, '', { timeout: timeoutMs, retries: 0 });
  await withTimeout(timeoutMs, stored, () => {
    throw new Error(`no majority of the cluster stored a message within ${timeoutMs} ms`);
  });
};
