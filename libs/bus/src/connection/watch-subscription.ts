import { setTimeout as delay } from 'node:timers/promises';
import { counter, processMetrics } from '@almanac/runtime';
import { Gauge } from 'prom-client';
import type { Bus, Running } from '../bus.js';

/** Where stalled subscriptions of a process are reported. Services have it; tests and commands need not. */
export interface SubscriptionReports {
  readonly log: {
    warn(facts: object, message: string): void;
    info(facts: object, message: string): void;
  };
  /** A sentence for each subscription that restarts did not heal, for the health of the process. */
  readonly faults: Map<string, string>;
}

export interface WatchedSubscription {
  /** The server's stream. */
  readonly stream: string;
  /** The pattern, or the name of the durable consumer. */
  readonly name: string;
  /** Changes with each message that arrives. */
  readonly position: () => number;
  /**
   * How many messages wait for this subscription, at least. `unknown`: the server does not answer about the stream, so a
   * restart cannot help.
   */
  readonly lag: () => Promise<number | 'unknown'>;
  /** Subscribes anew after the last message. */
  readonly restart: () => Promise<void>;
}

export interface SubscriptionWatch extends Running {
  /** Restarts it now, because messages are known to be missing. At most once in `everyMs`. */
  readonly hurry: () => void;
}

export interface WatchTimes {
  readonly everyMs: number;
  /** A subscription that gets nothing for this long although messages wait is restarted, and again after as long. */
  readonly restartMs: number;
  /** Then the process is not ready. */
  readonly unreadyMs: number;
  /** Then the process ends, and whoever started it starts it again. */
  readonly endMs: number;
}

const defaultTimes: WatchTimes = { everyMs: 1_000, restartMs: 2_000, unreadyMs: 20_000, endMs: 60_000 };

/** No answer within this time is none. */
export const lagTimeoutMs = 2_000;

const labels = ['stream', 'subscription'];
const lags = new Gauge({
  name: 'almanac_subscription_lag',
  help: 'messages of the stream that wait for this subscription of the process; absent while NATS does not answer',
  labelNames: labels,
  registers: [processMetrics],
});
const restarts = counter(
  'almanac_subscription_restarts_total',
  'subscriptions that got no messages although some waited, and were restarted',
  labels,
);

/**
 * Compares a subscription with its stream all the time, because a client can lose one without an error: a server that is
 * killed takes consumers with it, and requests about them wait for answers that never come
 * (docs/decisions/118-watched-subscriptions.md).
 */
export const watchSubscription = (
  bus: Pick<Bus, 'subscriptions'> & { readonly nc: Pick<Bus['nc'], 'isClosed'> },
  watched: WatchedSubscription,
  { everyMs, restartMs, unreadyMs, endMs }: WatchTimes = defaultTimes,
): SubscriptionWatch => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { stream, name } = watched;
  const { log, faults } = bus.subscriptions ?? {};
  const label = { stream, subscription: name };
  let known = watched.position();
  let stalledSince: number | undefined;

  const heal = healer(bus.subscriptions, watched, { everyMs, restartMs, unreadyMs, endMs });
  const look = async (): Promise<void> => {
    const lag = await watched.lag().catch(() => 'unknown' as const);
    if (signal.aborted || bus.nc.isClosed()) return;
    const position = watched.position();
    const isMoving = position !== known;
    known = position;
    if (lag === 'unknown') lags.remove(label);
    else lags.set(label, lag);
    if (lag === 'unknown' || lag === 0 || isMoving) {
      if (stalledSince !== undefined && faults?.delete(`${stream} ${name}`) === true)
        log?.info({ stream, subscription: name }, 'a subscription gets messages again');
      stalledSince = undefined;
      return;
    }
    const now = performance.now();
    stalledSince ??= now;
    heal.stalled(now, stalledSince, lag);
  };
  const watching = (async () => {
    while (!signal.aborted && !bus.nc.isClosed()) {
      await look();
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    hurry: () => {
      if (!signal.aborted && !bus.nc.isClosed()) heal.restart(performance.now(), everyMs, {});
    },
    stop: async () => {
      stopping.abort();
      lags.remove(label);
      await watching;
    },
  };
};

/** What is done about a subscription that stalls since a time. */
const healer = (
  { log, faults }: Partial<SubscriptionReports> = {},
  watched: WatchedSubscription,
  { restartMs, unreadyMs, endMs }: WatchTimes,
) => {
  const { stream, name } = watched;
  let restartedAt = Number.NEGATIVE_INFINITY;
  let isRestarting = false;
  const restart = (now: number, restMs: number, known: object): void => {
    if (isRestarting || now - restartedAt < restMs) return;
    const facts = { stream, subscription: name, position: watched.position(), ...known };
    restartedAt = now;
    restarts.inc({ stream, subscription: name });
    log?.warn(facts, 'a subscription got nothing although messages wait; it is restarted');
    isRestarting = true;
    void watched
      .restart()
      .catch((error: unknown) => log?.warn({ ...facts, err: error }, 'a subscription could not be restarted'))
      .finally(() => (isRestarting = false));
  };
  const stalled = (now: number, since: number, lag: number): void => {
    const stalledMs = Math.round(now - since);
    if (stalledMs >= unreadyMs)
      faults?.set(
        `${stream} ${name}`,
        `${stream} is not received (${name}): ${lag} messages wait for ${Math.round(stalledMs / 1_000)} s`,
      );
    if (stalledMs >= endMs && faults !== undefined)
      throw new Error(
        `the subscription ${name} of ${stream} got nothing for ${stalledMs} ms although ${lag} messages wait`,
      );
    if (stalledMs >= restartMs) restart(now, restartMs, { lag, stalled_ms: stalledMs });
  };
  return { stalled, restart };
};
