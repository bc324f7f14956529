import { createHash } from 'node:crypto';
import { type Bus, lastEvent, subjects } from '@almanac/bus';
import { archiveState, marketState, micros, presentMarket, secondsOf, seriesState } from '@almanac/contracts';
import { z } from 'zod';
import type { WebhookMessage } from './send.js';

/**
 * A waiting delivery. That of a market has no content: it is read when it is sent. So a delivery that waited, or that two
 * processes queued at the same time, never shows an earlier state after a later one.
 */
export const queueEntry = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    type: z.string(),
    id: z.string(),
    body: z.string(),
    time_us: micros,
    /** Of a request: the newest secret that its sender can know. The delivery is signed with it. */
    secret: z.int().optional(),
  }),
  z.object({
    kind: z.literal('market'),
    type: z.enum(['market.settled', 'market.data_changed']),
    ticker: z.string(),
    time_us: micros,
  }),
]);
export type QueueEntry = z.output<typeof queueEntry>;

/** The body of a delivery, as Standard Webhooks recommends. */
export const bodyOf = (type: string, timeUs: number, data: unknown): string =>
  JSON.stringify({ type, timestamp: new Date(timeUs / 1_000).toISOString(), data });

/** The same event has the same id in every attempt, so that a receiver recognises a repetition. */
export const deliveryIdOf = (webhook: string, type: string, event: string): string =>
  `msg_${createHash('sha256').update(`${webhook} ${type} ${event}`).digest('hex').slice(0, 24)}`;

/** Undefined if there is nothing to send, because the market has no such state. */
export const messageOf = async (bus: Bus, webhook: string, entry: QueueEntry): Promise<WebhookMessage | undefined> => {
  if (entry.kind === 'message') return entry;
  const { type, ticker } = entry;
  const found = type === 'market.settled' ? await settledMarket(bus, ticker) : await changedMarket(bus, ticker);
  if (found === undefined) return undefined;
  const { seq, time, data } = found;
  return { id: deliveryIdOf(webhook, type, `${ticker} ${seq}`), body: bodyOf(type, time, data) };
};

interface Found {
  readonly seq: number;
  readonly time: number;
  readonly data: unknown;
}

const settledMarket = async (bus: Bus, ticker: string): Promise<Found | undefined> => {
  const read = { stream: 'EVT_CATALOG', subject: subjects.market(ticker), state: marketState } as const;
  const { message } = await lastEvent(bus, read);
  if (message === undefined) return undefined;
  const { seq, event } = message;
  return {
    seq,
    time: event.time,
    data: presentMarket(event.state, await shapeOf(bus, event.state.series), event.time),
  };
};

const shapeOf = async (bus: Bus, series: string | null): Promise<string | null> => {
  if (series === null) return null;
  const read = { stream: 'EVT_CATALOG', subject: subjects.series(series), state: seriesState } as const;
  return (await lastEvent(bus, read)).message?.event.state.shape ?? null;
};

const changedMarket = async (bus: Bus, ticker: string): Promise<Found | undefined> => {
  const read = { stream: 'EVT_ARCHIVE', subject: subjects.archive(ticker), state: archiveState } as const;
  const { message } = await lastEvent(bus, read);
  if (message === undefined) return undefined;
  const { version, min_us, max_us } = message.event.state;
  const data = { ticker, data_version: version, start_ts: secondsOf(min_us), end_ts: secondsOf(max_us) };
  return { seq: message.seq, time: message.event.time, data };
};
