import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@almanac/runtime';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { type Bus, isPermissionViolation } from '../bus.js';
import { isStorageFull } from './storage-capacity.js';

/** For what a process needs to start. Others start beside it, and servers may elect leaders. */
export const startWaitMs = 30_000;
const retryMs = 200;
const retryMsMax = 2_000;

/**
 * Retries an operation while NATS temporarily cannot do it: a server without a leader, without storage capacity, without
 * the other servers of its cluster, or without a stream that another service creates. A process that waits without limit
 * reports the wait in its health.
 * Any other gives up after `timeoutMs` and throws the server's error.
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
        await delay(backoffMs(failures, { firstMs: retryMs, mostMs: retryMsMax }));
      }
    }
  } finally {
    bus.pendingWaits?.delete(what);
  }
};

const streamNotFound = 10059;
/** A stream cannot be placed. Only the text says whether servers are offline or a setting is wrong. */
const noPeers = 10005;

/** Whether the operation can succeed later without a change here. */
const isTransient = (error: unknown): boolean => {
  if (isPermissionViolation(error)) return false;
  if (error instanceof errors.TimeoutError || error instanceof errors.RequestError) return true;
  // The client does not export its class.
  if (error instanceof Error && error.name === 'JetStreamNotEnabled') return true;
  if (!(error instanceof JetStreamApiError)) return false;
  if (error.code === noPeers) return error.message.includes('peer offline');
  return error.status === 503 || error.code === streamNotFound || isStorageFull(error);
};
