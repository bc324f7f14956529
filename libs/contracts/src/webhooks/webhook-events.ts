import { z } from 'zod';
import { eventOf } from '../events/events.js';
import { micros } from '../requests/numbers.js';

/** What a webhook may subscribe to. */
export const webhookEventTypes = [
  'export.created',
  'export.ready',
  'export.failed',
  'export.cancelled',
  'market.settled',
  'market.data_changed',
] as const;
export const webhookEventType = z.enum(webhookEventTypes);
export type WebhookEventType = z.infer<typeof webhookEventType>;

export const webhooksMax = 20;
const disabled = z.object({ reason: z.string(), us: micros });

/** `secretFingerprint` of a WEBHOOK_SECRET. */
const derivedFrom = z.string();

export const storedWebhook = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(webhookEventType),
  tickers: z.array(z.string()),
  series: z.array(z.string()),
  created_us: micros,
  /** Only events from this time on are sent: the creation, or the last time it was enabled. */
  enabled_us: micros,
  /** Derived from their versions, and never stored. An earlier one signs until `expires_us`. Earlier releases did not state the origin. */
  secrets: z.array(z.object({ version: z.int(), expires_us: micros.nullable(), derived_from: derivedFrom.optional() })),
  /** Null while the webhook gets deliveries. */
  disabled: disabled.nullable(),
});
export type StoredWebhook = z.infer<typeof storedWebhook>;

/** A change of a webhook under the key of its request. */
const webhookRequest = z.object({
  key: z.string(),
  /** The version of the secret that a rotation made. */
  version: z.int().optional(),
  /** The webhook that it deleted, as it was. */
  deleted: storedWebhook.optional(),
});
/** Requests are sent again within seconds, so the last ones of an account are enough. They bound its stored state. */
export const webhookRequestsMax = 10;

/** All webhooks of an account. They are one entity, so that the limit holds against concurrent creations. */
export const webhooksState = z.object({
  account: z.string(),
  webhooks: z.array(storedWebhook),
  /** Changes of the account on a UTC day. Each stores all its webhooks. */
  changed: z.object({ day: z.string(), count: z.int() }).optional(),
  /** The last changes, the newest last, so that a request that is sent again changes nothing and gets its answer. */
  requests: z.array(webhookRequest).optional(),
});
export type WebhooksState = z.infer<typeof webhooksState>;

const id = z.object({ id: z.string() });
/** The key of the request. Earlier releases did not state it. */
const byRequest = id.extend({ request: z.string().optional() });
/** EVT_WEBHOOK: `evt.webhook.<account>`. */
export const webhookEvents = {
  WebhookCreated: eventOf('WebhookCreated', storedWebhook, webhooksState),
  WebhookDeleted: eventOf('WebhookDeleted', byRequest, webhooksState),
  WebhookSecretRotated: eventOf(
    'WebhookSecretRotated',
    byRequest.extend({ version: z.int(), us: micros, expires_us: micros, derived_from: derivedFrom.optional() }),
    webhooksState,
  ),
  /** Of the secrets that did not state it. */
  WebhookSecretsTraced: eventOf('WebhookSecretsTraced', z.object({ derived_from: derivedFrom }), webhooksState),
  WebhookDisabled: eventOf('WebhookDisabled', id.extend(disabled.shape), webhooksState),
  WebhookEnabled: eventOf('WebhookEnabled', byRequest.extend({ us: micros }), webhooksState),
};
