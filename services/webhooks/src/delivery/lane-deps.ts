import type { Bus } from '@almanac/bus';
import type { StoredWebhook } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import type { Clock } from './clock.js';
import type { Sender } from './send.js';
import type { DeliverySlots } from './delivery-slots.js';

export interface LaneDeps {
  readonly bus: Bus;
  readonly log: Logger;
  readonly clock: Clock;
  readonly sender: Sender;
  readonly slots: DeliverySlots;
  /** The stored webhook, perhaps some milliseconds old. */
  readonly cached: (webhook: string) => StoredWebhook | undefined;
  /** How many webhooks the account of a webhook has, at least one. */
  readonly siblings: (webhook: string) => number;
  /** The stored webhook at the leader. */
  readonly load: (webhook: string) => Promise<StoredWebhook | undefined>;
  readonly disable: (webhook: string, reason: string) => Promise<void>;
}
