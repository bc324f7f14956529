import { setTimeout as delay } from 'node:timers/promises';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { type Bus, isPermissionViolation } from './bus.js';
import { isStorageFull } from './storage-capacity.js';

const retryMs = 200;
const retryMsMax = 2_000;

/**
 * Tries until it succeeds what NATS cannot do just now: a server without a leader, without room, or without what another
 * service makes. A process that waits for as long as it takes tells of it in its health; any other gives up after
 * `timeoutMs` and throws what the server said.
 */
export const retryUntilDone = async <T>(
  bus: Bus,
  { what, timeoutMs }: { what: string; timeoutMs: number },
  attempt: () => Promise<T>,
): Promise<T> => {
  const deadline = performance.now() + (bus.pendingWaits === undefined ? timeoutMs : Number.POSITIVE_INFINITY);
  try {
    for (let failures = 0; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!isTransient(error) || bus.nc.isClosed() || performance.now() >= deadline) throw error;
        bus.pendingWaits?.set(what, error instanceof Error ? error.message : String(error));
        await delay(Math.min(retryMsMax, retryMs * 2 ** failures) * (0.5 + Math.random()));
      }
    }
  } finally {
    bus.pendingWaits?.delete(what);
  }
};

const streamNotFound = 10059;

/** Whether it may be well later without anything done here. */
const isTransient = (error: unknown): boolean => {
  if (isPermissionViolation(error)) return false;
  if (error instanceof errors.TimeoutError || error instanceof errors.RequestError) return true;
  // The client does not export its class.
  if (error instanceof Error && error.name === 'JetStreamNotEnabled') return true;
  if (!(error instanceof JetStreamApiError)) return false;
  return error.status === 503 || error.code === streamNotFound || isStorageFull(error);
};
