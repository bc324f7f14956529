import {
  type Bus,
  consumeBatches,
  durables,
  enqueueDelivery,
  type EventMessage,
  lastEvent,
  messageBefore,
  patterns,
  readEvent,
  type Running,
  subjects,
} from '@almanac/bus';
import {
  archiveState,
  type ArchiveState,
  marketState,
  type MarketState,
  type StoredWebhook,
  type WebhookEventType,
} from '@almanac/contracts';
import { forEachConcurrent, type Logger } from '@almanac/runtime';
import type { QueueEntry } from './queue-entry.js';
import type { Subscriptions } from '../webhooks/subscriptions.js';

const batchMax = 500;
const concurrentMarkets = 16;

interface Deps {
  readonly bus: Bus;
  readonly subscriptions: Subscriptions;
  readonly log: Logger;
}

/** Queues `market.settled` when a market gets its result, or another one. */
export const queueSettledMarkets = ({ bus, subscriptions, log }: Deps): Promise<Running> =>
  consumeBatches<MarketState>(bus, {
    stream: 'EVT_CATALOG',
    durable: durables.webhookSettled,
    newOnly: true,
    filter: patterns.allMarkets,
    state: marketState,
    batchMax,
    concerns: ({ event: { state } }) => isSettled(state),
    onFailure: (error, { subject, seq }, next) =>
      log.warn({ err: error, subject, seq, next }, 'a settled market could not be queued for webhooks'),
    handle: async (messages) => {
      await subscriptions.awaitCurrent();
      await forEachConcurrent(messages, concurrentMarkets, async (message) => {
        const { state, time } = message.event;
        const webhooks = subscriptions.matching('market.settled', state).filter(sends(time));
        if (webhooks.length > 0 && (await isNewlySettled(bus, message)))
          await queueMarket(bus, { type: 'market.settled', ticker: state.ticker, time }, webhooks);
      });
    },
  });

/** Queues `market.data_changed` for each change of a market's data. Changes that wait together are sent as one. */
export const queueChangedMarkets = ({ bus, subscriptions, log }: Deps): Promise<Running> =>
  consumeBatches<ArchiveState>(bus, {
    stream: 'EVT_ARCHIVE',
    durable: durables.webhookData,
    newOnly: true,
    state: archiveState,
    batchMax,
    onFailure: (error, { subject, seq }, next) =>
      log.warn({ err: error, subject, seq, next }, 'a changed market could not be queued for webhooks'),
    handle: async (messages) => {
      await subscriptions.awaitCurrent();
      const newest = new Map(messages.map(({ event }) => [event.state.ticker, event.time]));
      await forEachConcurrent([...newest], concurrentMarkets, async ([ticker, time]) => {
        const series = subscriptions.needsSeries('market.data_changed') ? await seriesOf(bus, ticker) : null;
        const webhooks = subscriptions.matching('market.data_changed', { ticker, series }).filter(sends(time));
        await queueMarket(bus, { type: 'market.data_changed', ticker, time }, webhooks);
      });
    },
  });

const sends =
  (timeUs: number) =>
  ({ enabled_us }: StoredWebhook): boolean =>
    enabled_us <= timeUs;

const isSettled = ({ result, settlement_us }: MarketState): boolean => result !== null || settlement_us !== null;

const isNewlySettled = async (bus: Bus, { subject, seq, event }: EventMessage<MarketState>): Promise<boolean> => {
  const before = await messageBefore(bus, { stream: 'EVT_CATALOG', subject }, seq);
  if (before === null) return true;
  const { state } = readEvent(before, marketState).event;
  return !isSettled(state) || state.result !== event.state.result;
};

const seriesOf = async (bus: Bus, ticker: string): Promise<string | null> => {
  const read = { stream: 'EVT_CATALOG', subject: subjects.market(ticker), state: marketState } as const;
  return (await lastEvent(bus, { ...read, readFrom: 'replica' })).message?.event.state.series ?? null;
};

const queueMarket = async (
  bus: Bus,
  { type, ticker, time }: { type: Extract<WebhookEventType, `market.${string}`>; ticker: string; time: number },
  webhooks: readonly StoredWebhook[],
): Promise<void> => {
  const entry: QueueEntry = { kind: 'market', type, ticker, time_us: time };
  for (const { id: webhook } of webhooks) {
    const place = { webhook, object: ticker, part: type };
    await enqueueDelivery(bus, place, {
      data: JSON.stringify(entry),
      id: `${webhook} ${type} ${ticker} ${time}`,
      replaces: true,
    });
  }
};
