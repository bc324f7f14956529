import { randomUUID } from 'node:crypto';
import { connectFromConfig, ensureStream, ensureWebhookStream, removeLog, subjects } from '@almanac/bus';
import { serveControllers, streamsController } from '@almanac/bus/server';
import { DomainError, type StoredWebhook, webhooksState } from '@almanac/contracts';
import { type EventStore, execute, jetStreamStore } from '@almanac/event-store';
import { accountOfKey, type Runtime } from '@almanac/runtime';
import type { WebhooksConfig } from './config.js';
import { addresses } from './webhooks/addresses.js';
import { type Clock, systemClock } from './delivery/clock.js';
import { sender } from './delivery/send.js';
import { shareShards } from './delivery/shards.js';
import { semaphore } from './delivery/semaphore.js';
import { deliveryMetrics } from './metrics.js';
import { queueExportEvents } from './sources/exports.reactor.js';
import { queueChangedMarkets, queueSettledMarkets } from './sources/markets.reactor.js';
import { followSubscriptions } from './sources/subscriptions.js';
import { ADDRESSES, BUS, SECRETS, STORE } from './webhooks-deps.js';
import { WebhooksController } from './webhooks.controller.js';
import { webhookSecrets } from './webhooks/secrets.js';
import { webhooksDecider } from './webhooks/webhooks.decider.js';

/** Concurrent attempts of this process. Each is a socket and a small body. */
const attemptsMax = 256;

export const startWebhooks = async (
  config: WebhooksConfig,
  runtime: Runtime,
  clock: Clock = systemClock,
): Promise<void> => {
  const { log, health, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  await ensureStream(bus, 'EVT_WEBHOOK');
  await ensureWebhookStream(bus);
  const store = jetStreamStore(bus);
  const secrets = webhookSecrets(config.WEBHOOK_SECRET);
  const checked = addresses(config.WEBHOOK_LOOPBACK === 'allowed');
  const subscriptions = await followSubscriptions(bus, log);
  onStop('subscriptions', () => subscriptions.stop());
  const sending = sender({ addresses: checked, secrets, timeoutMs: config.WEBHOOK_TIMEOUT_S * 1_000 });
  onStop('sender', () => sending.close());
  const delivering = shareShards(
    {
      bus,
      log,
      clock,
      sender: sending,
      slots: { healthy: semaphore(attemptsMax), failing: semaphore(attemptsMax) },
      cached: (id) => subscriptions.webhook(id),
      ...storedWebhooks(store, clock),
    },
    randomUUID(),
  );
  onStop('deliveries', () => delivering.stop());
  subscriptions.whenDeleted((id) => {
    delivering.deleted(id);
    // What an outage leaves of it expires after 30 days.
    removeLog(bus, id).catch((error: unknown) =>
      log.warn({ err: error, webhook: id }, 'the log of a deleted webhook could not be removed'),
    );
  });
  deliveryMetrics(health.metrics, delivering.loads, () => clock.now());
  const deps = { bus, subscriptions, log };
  const sources = [queueExportEvents(bus, store, log), queueSettledMarkets(deps), queueChangedMarkets(deps)];
  for (const source of sources) {
    const running = await source;
    onStop('source', () => running.stop());
  }
  const providers = new Map<symbol, unknown>([
    [BUS, bus],
    [STORE, store],
    [SECRETS, secrets],
    [ADDRESSES, checked],
  ]);
  const controllers = [WebhooksController, streamsController(bus, 'webhooks')];
  const calls = await serveControllers(bus, { controllers, providers }, log);
  onStop('calls', () => calls.stop());
};

const disableTimeoutMs = 10_000;

const storedWebhooks = (store: EventStore, clock: Clock) => ({
  /** The id of a webhook starts with that of its account. */
  load: async (id: string): Promise<StoredWebhook | undefined> => {
    const loaded = await store.load(subjects.webhooks(accountOfKey(id)), webhooksState);
    return loaded?.state.webhooks.find((webhook) => webhook.id === id);
  },
  disable: async (id: string, reason: string): Promise<void> => {
    const account = accountOfKey(id);
    const us = Math.round(clock.now() * 1_000);
    try {
      await execute(store, webhooksDecider(account), {
        subject: subjects.webhooks(account),
        command: { type: 'disable', id, us, reason },
        id: randomUUID(),
        account,
        time: us,
        timeoutMs: disableTimeoutMs,
      });
    } catch (error) {
      // Its owner has deleted it.
      if (!(error instanceof DomainError && error.code === 'webhook_not_found')) throw error;
    }
  },
});
