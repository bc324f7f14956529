import { type Bus, logAttempt, loggedAttempts, removeLog } from '@almanac/bus';
import { micros, secondsOf, type WebhookAttempt } from '@almanac/contracts';
import { z } from 'zod';
import type { LaneDeps } from './lane-deps.js';
import type { Outcome, WebhookMessage } from './send.js';
import type { WaitingDelivery } from './waiting-delivery.js';

const loggedAttempt = z.object({
  id: z.string(),
  type: z.string(),
  object: z.string(),
  attempt: z.int(),
  sent_us: micros,
  duration_ms: z.int(),
  response_status: z.int().nullable(),
  error: z.string().nullable(),
  next_us: micros.nullable(),
  /** To send it again. */
  body: z.string(),
});
export type LoggedAttempt = z.output<typeof loggedAttempt>;

export interface Attempted {
  readonly message: WebhookMessage;
  readonly outcome: Outcome;
  readonly sentMs: number;
}

/** `nextMs` is the time of the next attempt, null without one. */
export const loggedOf = (
  { entry, object, attempts }: WaitingDelivery,
  { message, outcome, sentMs }: Attempted,
  nextMs: number | null,
): LoggedAttempt => ({
  id: message.id,
  type: entry.type,
  object,
  attempt: attempts + 1,
  sent_us: Math.round(sentMs * 1_000),
  duration_ms: outcome.ms,
  response_status: outcome.status,
  error: outcome.error,
  next_us: nextMs === null ? null : Math.round(nextMs * 1_000),
  body: message.body,
});

export const storeAttempt = async (
  { bus, cached, load }: Pick<LaneDeps, 'bus' | 'cached' | 'load'>,
  webhook: string,
  attempt: LoggedAttempt,
): Promise<void> => {
  await logAttempt(bus, webhook, JSON.stringify(attempt));
  const stored = cached(webhook) ?? (await load(webhook));
  // It was deleted while this was sent.
  if (stored === undefined) await removeLog(bus, webhook);
};

/** The logged attempts of a webhook with their sequences, the newest first. */
export const readLog = async (bus: Bus, webhook: string): Promise<{ seq: number; attempt: LoggedAttempt }[]> =>
  (await loggedAttempts(bus, webhook))
    .map(({ seq, data }) => ({ seq, attempt: loggedAttempt.parse(JSON.parse(Buffer.from(data).toString())) }))
    .toReversed();

export const presentAttempt = ({ sent_us, next_us, body: _body, ...attempt }: LoggedAttempt): WebhookAttempt => ({
  ...attempt,
  status: attempt.error === null ? 'succeeded' : 'failed',
  sent_ts: sent_us / 1e6,
  next_attempt_ts: secondsOf(next_us),
});
