import type { Bus } from '@almanac/bus';
import type { StoredWebhook } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import type { Clock } from './clock.js';
import type { Sender } from './send.js';
import type { Semaphore } from './semaphore.js';

export interface LaneDeps {
  readonly bus: Bus;
  readonly log: Logger;
  readonly clock: Clock;
  readonly sender: Sender;
  /** For webhooks whose last attempt succeeded, and for the others, so that slow failures do not delay deliveries. */
  readonly slots: { readonly healthy: Semaphore; readonly failing: Semaphore };
  /** The stored webhook, perhaps some milliseconds old. */
  readonly cached: (webhook: string) => StoredWebhook | undefined;
  /** The stored webhook at the leader. */
  readonly load: (webhook: string) => Promise<StoredWebhook | undefined>;
  readonly disable: (webhook: string, reason: string) => Promise<void>;
}
