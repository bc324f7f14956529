import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, expectedTopology, probeJetStream, reserveBytes, serverStreams } from '@almanac/bus';
import { diskSpaceOf } from '@almanac/runtime';
import type { Infrastructure } from './infrastructure.js';
import { connectOperator } from './operator.js';
import { partitionsIn } from './partitions.js';

const everyMs = 2_000;
/** A busy server with millions of messages was silent for half a minute (measured). */
const silentMsMax = 60_000;
/** On a disk that is almost full, a failed write is the likely cause. */
const silentOnFullDiskMsMax = 10_000;

/**
 * Restarts nats-server when it runs but JetStream does not: after a failed write, as on a full disk, the server ends
 * JetStream or hangs, and only a restart helps.
 */
export const watchJetStream = async (
  infrastructure: Infrastructure,
  { folder, password }: { folder: string; password: string },
): Promise<{ stop: () => Promise<void> }> => {
  const bus = await connectOperator({ url: infrastructure.natsUrl, password, ...partitionsIn(process.env) });
  const stopping = new AbortController();
  const connection = watchConnection(bus);
  const isRunning = (): boolean => infrastructure.servers.some(({ name }) => name === 'nats-server');
  const watch = async (): Promise<void> => {
    let failedOnFullDisk = false;
    for (let silentSince: number | null = null; ;) {
      await delay(everyMs, undefined, { signal: stopping.signal });
      const isFull = await isNearlyFull(folder);
      if (failedOnFullDisk && !isFull) {
        failedOnFullDisk = false;
        await infrastructure.restart('nats-server', 'The disk of nats-server has space again after a failed write.');
      }
      const answer = await probeJetStream(bus, serverStreams(bus, expectedTopology.streams));
      if (answer === 'answers' || !isRunning()) {
        silentSince = null;
        continue;
      }
      silentSince ??= performance.now();
      // A server that refuses the connection is not restarted: it may have another password.
      if (!connection.isOpen() || stopping.signal.aborted) continue;
      const limitMs = isFull ? silentOnFullDiskMsMax : silentMsMax;
      if (answer === 'silent' && performance.now() - silentSince < limitMs) continue;
      silentSince = null;
      // A server that starts on a full disk answers, but may not read each stream.
      failedOnFullDisk = isFull;
      await infrastructure.restart('nats-server', reasonOf[answer]);
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([bus.nc.close(), bus.streams.close()]);
      await watching;
    },
  };
};

const reasonOf = {
  off: 'nats-server has ended JetStream, as it does after a failed write on a full disk.',
  silent: 'JetStream of nats-server does not answer.',
};

const isNearlyFull = (folder: string): Promise<boolean> =>
  diskSpaceOf(folder).then(
    ({ freeBytes }) => freeBytes < reserveBytes,
    () => false,
  );

const watchConnection = (bus: Bus): { isOpen: () => boolean } => {
  let open = true;
  void (async () => {
    for await (const { type } of bus.streams.status()) {
      if (type === 'disconnect') open = false;
      if (type === 'reconnect') open = true;
    }
  })();
  return { isOpen: () => open };
};
