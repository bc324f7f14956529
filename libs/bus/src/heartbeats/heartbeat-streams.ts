import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { type Bus, unlessMissing } from '../bus.js';
import { type HeartbeatStream, heartbeatStreamsOf } from '../names.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { createStream } from '../streams/streams.js';

/** Creates the streams of key-marks.ts. In memory, so that no heartbeat waits for a disk. */
export const ensureHeartbeatStreams = async (bus: Bus): Promise<void> => {
  for (const stream of heartbeatStreamsOf(bus.replicas)) await ensureHeartbeatStream(bus, stream);
};

const ensureHeartbeatStream = (bus: Bus, { name, heartbeat, mark }: HeartbeatStream): Promise<void> =>
  createStream(bus, {
    name,
    subjects: [heartbeat, mark],
    retention: RetentionPolicy.Limits,
    storage: StorageType.Memory,
    discard: DiscardPolicy.Old,
    max_msgs: -1,
    max_msgs_per_subject: 1,
    num_replicas: 1,
    allow_direct: true,
  });

/**
 * Moves the streams to different servers: the loss of a server that has two would leave no majority. A server places a new stream
 * where the fewest are. Returns whether each is on a server of its own, or undefined while a server does not answer. For any
 * process, as often as it likes.
 */
export const spreadHeartbeatStreams = async (bus: Bus): Promise<boolean | undefined> => {
  const streams = heartbeatStreamsOf(bus.replicas);
  const servers = await Promise.all(streams.map((stream) => serverOf(bus, stream)));
  const missing = streams.filter((_, at) => servers[at] === undefined);
  // Another process removed it a moment ago, or ended before it could make it again.
  for (const stream of missing) await ensureHeartbeatStream(bus, stream);
  if (missing.length > 0 || servers.includes('')) return undefined;
  const doubled = streams.find((_, at) => servers.indexOf(servers[at]) < at);
  if (doubled === undefined) return true;
  await unlessMissing(bus[rawJetStream].jsm.streams.delete(doubled.name));
  await ensureHeartbeatStream(bus, doubled);
  return false;
};

/** Undefined if there is no such stream. Empty while its server is lost. */
const serverOf = async (bus: Bus, { name }: HeartbeatStream): Promise<string | undefined> => {
  const info = await unlessMissing(bus[rawJetStream].jsm.streams.info(name));
  return info === undefined ? undefined : (info.cluster?.leader ?? '');
};
