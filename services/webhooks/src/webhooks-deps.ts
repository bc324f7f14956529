import type { Bus } from '@almanac/bus';
import type { EventStore } from '@almanac/event-store';
import type { Addresses } from './webhooks/addresses.js';
import type { WebhookSecrets } from './webhooks/secrets.js';

/** What the handlers of this service work with. */
export interface WebhooksDeps {
  readonly bus: Bus;
  readonly store: EventStore;
  readonly secrets: WebhookSecrets;
  readonly addresses: Addresses;
}
