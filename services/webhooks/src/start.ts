import { randomUUID } from 'node:crypto';
import { connectFromConfig, ensureStream, ensureWebhookStream, removeLog } from '@almanac/bus';
import { serveService } from '@almanac/bus/server';
import { jetStreamStore } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import type { WebhooksConfig } from './config.js';
import { addresses } from './webhooks/addresses.js';
import { type Clock, systemClock } from './delivery/clock.js';
import { sender } from './delivery/send.js';
import { shareShards } from './delivery/shards.js';
import { deliverySlots } from './delivery/delivery-slots.js';
import { deliveryMetrics } from './metrics.js';
import { queueExportEvents } from './delivery/queue-exports.reactor.js';
import { queueChangedMarkets, queueSettledMarkets } from './delivery/queue-markets.reactor.js';
import { followSubscriptions } from './webhooks/subscriptions.js';
import type { WebhooksDeps } from './webhooks-deps.js';
import { disableWebhook, loadWebhook } from './webhooks/account-webhooks.js';
import { webhookSecrets } from './webhooks/secrets.js';
import { settleSecrets } from './webhooks/settle-secrets.js';
import { webhooksController } from './webhooks.controller.js';

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
  const secrets = webhookSecrets(config.WEBHOOK_SECRET, config.WEBHOOK_EARLIER_SECRETS);
  const checked = addresses(config.WEBHOOK_ALLOWED_NETWORKS);
  const deps: WebhooksDeps = { bus, store, secrets, addresses: checked };
  const subscriptions = await followSubscriptions(bus, log);
  onStop('subscriptions', () => subscriptions.stop());
  await settleSecrets(deps, subscriptions, config.WEBHOOK_LOST_SECRETS);
  const sending = sender({ addresses: checked, secrets, timeoutMs: config.WEBHOOK_TIMEOUT_S * 1_000 });
  onStop('sender', () => sending.close());
  const delivering = shareShards(
    {
      bus,
      log,
      clock,
      sender: sending,
      slots: deliverySlots(clock),
      cached: (id) => subscriptions.webhook(id),
      siblings: (id) => subscriptions.countOf(id),
      load: (id) => loadWebhook(deps, id),
      disable: (id, reason) => disableWebhook(deps, { id, reason, us: Math.round(clock.now() * 1_000) }),
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
  const queueing = { bus, subscriptions, log };
  const sources = [queueExportEvents(bus, store, log), queueSettledMarkets(queueing), queueChangedMarkets(queueing)];
  for (const source of sources) {
    const running = await source;
    onStop('source', () => running.stop());
  }
  const calls = await serveService(bus, 'webhooks', webhooksController(deps), log);
  onStop('calls', () => calls.stop());
};
