import { counter, readGauge } from '@almanac/runtime';
import type { Registry } from 'prom-client';

const attempts = counter('almanac_webhook_attempts_total', 'attempts to deliver to webhooks', ['outcome']);
const disabled = counter('almanac_webhooks_disabled_total', 'webhooks that the service disabled, with a reason');

export const countAttempt = (outcome: 'succeeded' | 'failed'): void => attempts.inc({ outcome });
export const countDisabled = (): void => disabled.inc();

/** What waits for one webhook. */
export interface LaneLoad {
  /** At most: changes of one market that wait as one delivery can count several times. */
  readonly waiting: number;
  /** The time of the event of the oldest waiting delivery. */
  readonly oldestUs: number | undefined;
  /** Whether the last attempt failed. */
  readonly isFailing: boolean;
}

/** Figures of the webhooks that this process delivers to, read at each scrape. */
export const deliveryMetrics = (register: Registry, loads: () => readonly LaneLoad[], nowMs: () => number): void => {
  const failing = (): number => loads().filter(({ isFailing }) => isFailing).length;
  readGauge(
    'almanac_webhooks_active',
    'webhooks that this process has delivered to and that exist',
    () => loads().length,
    register,
  );
  readGauge('almanac_webhooks_failing', 'webhooks whose last attempt failed', failing, register);
  readGauge(
    'almanac_webhook_deliveries_waiting',
    'deliveries that wait for an answer of their receiver',
    () => loads().reduce((sum, { waiting }) => sum + waiting, 0),
    register,
  );
  readGauge(
    'almanac_webhook_oldest_seconds',
    'age of the oldest waiting delivery to a receiver whose last answer was good',
    () => {
      const oldest = loads().flatMap(({ isFailing, oldestUs }) =>
        isFailing || oldestUs === undefined ? [] : oldestUs,
      );
      return oldest.reduce((most, us) => Math.max(most, nowMs() / 1_000 - us / 1e6), 0);
    },
    register,
  );
};
