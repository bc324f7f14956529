import { type Bus, endOf, followCurrent, hasReached, patterns, type Running } from '@almanac/bus';
import {
  DomainError,
  type StoredWebhook,
  type WebhookEventType,
  webhooksState,
  type WebhooksState,
} from '@almanac/contracts';
import { accountOfKey, type Logger } from '@almanac/runtime';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The webhooks of all accounts in memory. Only the current state of each account is read at the start, and an account has
 * at most 20 webhooks with 50 tickers and 50 series each.
 */
export interface Subscriptions extends Running {
  webhook(id: string): StoredWebhook | undefined;
  all(): Iterable<StoredWebhook>;
  /** How many webhooks the account of this webhook has, at least one. */
  countOf(id: string): number;
  /** Calls this for each webhook that is deleted from now on. */
  whenDeleted(listener: (id: string) => void): void;
  /** Resolves when everything that is stored now has been read, so that no subscription is missed. */
  awaitCurrent(): Promise<void>;
  /** Whether some webhook needs the series of changed markets. */
  readonly needsSeries: (type: WebhookEventType) => boolean;
  /** Enabled webhooks that get this event of a market. */
  matching(type: WebhookEventType, market: { ticker: string; series: string | null }): StoredWebhook[];
}

const waitMsMax = 5_000;

export const followSubscriptions = async (bus: Bus, log: Logger): Promise<Subscriptions> => {
  const accounts = new Map<string, WebhooksState>();
  const byId = new Map<string, StoredWebhook>();
  const index = new Map<string, Set<StoredWebhook>>();
  let onDeleted = (_id: string): void => undefined;
  const forget = (webhook: StoredWebhook): void => {
    byId.delete(webhook.id);
    for (const key of keysOf(webhook)) {
      const known = index.get(key);
      known?.delete(webhook);
      if (known?.size === 0) index.delete(key);
    }
  };
  const learn = (webhook: StoredWebhook): void => {
    byId.set(webhook.id, webhook);
    for (const key of keysOf(webhook)) index.set(key, (index.get(key) ?? new Set()).add(webhook));
  };
  const following = await followCurrent(bus, {
    stream: 'EVT_WEBHOOK',
    filter: patterns.allWebhooks,
    state: webhooksState,
    onEvent: ({ event: { state } }) => {
      const before = accounts.get(state.account)?.webhooks ?? [];
      for (const webhook of before) forget(webhook);
      for (const webhook of state.webhooks) learn(webhook);
      accounts.set(state.account, state);
      for (const { id } of before) if (!byId.has(id)) onDeleted(id);
    },
    onUnreadable: (error, { subject, seq }) =>
      log.warn({ err: error, subject, seq }, 'the webhooks of an account could not be read'),
  });
  const awaitCurrent = async (): Promise<void> => {
    const end = await endOf(bus, 'EVT_WEBHOOK');
    const deadline = performance.now() + waitMsMax;
    while (!hasReached(following.position, end)) {
      if (performance.now() > deadline)
        throw new DomainError('unavailable', 'The webhooks are being read. Try again in a few seconds.');
      await delay(5);
    }
  };
  return {
    webhook: (id) => byId.get(id),
    all: () => byId.values(),
    countOf: (id) => Math.max(1, accounts.get(accountOfKey(id))?.webhooks.length ?? 0),
    whenDeleted: (listener) => {
      onDeleted = listener;
    },
    awaitCurrent,
    needsSeries: (type) => index.has(anySeries(type)),
    matching: (type, { ticker, series }) => [
      ...new Set([
        ...(index.get(tickerKey(type, ticker)) ?? []),
        ...(series === null ? [] : (index.get(seriesKey(type, series)) ?? [])),
      ]),
    ],
    stop: () => following.stop(),
  };
};

const tickerKey = (type: WebhookEventType, ticker: string): string => `${type} ticker ${ticker}`;
const seriesKey = (type: WebhookEventType, series: string): string => `${type} series ${series}`;
const anySeries = (type: WebhookEventType): string => `${type} any series`;

const keysOf = ({ events, tickers, series, disabled }: StoredWebhook): string[] =>
  disabled === null
    ? events
        .filter((type) => type.startsWith('market.'))
        .flatMap((type) => [
          ...tickers.map((ticker) => tickerKey(type, ticker)),
          ...series.map((id) => seriesKey(type, id)),
          ...(series.length > 0 ? [anySeries(type)] : []),
        ])
    : [];
