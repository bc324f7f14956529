import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '@almanac/contracts';
import { withJitter } from '@almanac/runtime';
import { sentenceOf } from '../errors.js';

export interface Delivery {
  readonly bytes: number;
  deliver(): Promise<void>;
  /** The archive will never accept it: another attempt would fail the same way. */
  refused(why: string): void;
}

export interface DeliveryQueue {
  /** Returns false, and does not take it, if the limit is reached. */
  put(delivery: Delivery): boolean;
  /** Ignores the limit, for small items that must not be lost. */
  putUnbounded(delivery: Delivery): void;
  readonly waitingBytes: () => number;
  /** Whether everything was delivered in time. No delivery starts after that. */
  end(withinMs: number): Promise<boolean>;
}

export interface DeliveryQueueOptions {
  readonly bytesMax: number;
  readonly onWaiting: (why: string) => void;
  readonly retryMs?: number;
}

/** Delivers items in order. While the archive is unavailable, the first item is retried and the others wait. */
export const deliveryQueue = ({ bytesMax, onWaiting, retryMs = 1_000 }: DeliveryQueueOptions): DeliveryQueue => {
  const waiting: Delivery[] = [];
  const ending = new AbortController();
  let waitingBytes = 0;
  let running: Promise<void> | null = null;

  const deliverFirst = async (first: Delivery): Promise<void> => {
    try {
      await first.deliver();
    } catch (error) {
      if (isTransient(error)) {
        onWaiting(sentenceOf(error));
        await pause(withJitter(retryMs), undefined, { signal: ending.signal }).catch(() => undefined);
        return;
      }
      first.refused(sentenceOf(error));
    }
    waiting.shift();
    waitingBytes -= first.bytes;
  };
  const run = async (): Promise<void> => {
    for (let [first] = waiting; first && !ending.signal.aborted; [first] = waiting) await deliverFirst(first);
    running = null;
  };

  const putUnbounded = (delivery: Delivery): void => {
    waiting.push(delivery);
    waitingBytes += delivery.bytes;
    running ??= run();
  };

  return {
    put: (delivery) => {
      if (waitingBytes + delivery.bytes > bytesMax) return false;
      putUnbounded(delivery);
      return true;
    },
    putUnbounded,
    waitingBytes: () => waitingBytes,
    end: async (withinMs) => {
      const deadline = pause(withinMs, undefined, { ref: false });
      await Promise.race([running, deadline]);
      ending.abort();
      return waiting.length === 0;
    },
  };
};

/** Whether the archive may accept it later: it is unavailable, or another change conflicted. */
const isTransient = (error: unknown): boolean => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof DomainError && (cause.code === 'unavailable' || cause.code === 'conflict');
};
