import { accountOfKey, ConfigError, pluralize, unixMicros } from '@almanac/runtime';
import type { WebhooksDeps } from '../webhooks-deps.js';
import { changeWebhooks, disableWebhook } from './account-webhooks.js';
import { LostSecretError } from './secrets.js';
import type { Subscriptions } from './subscriptions.js';
import { isUntraced } from './webhooks.decider.js';

const timeoutMs = 10_000;

/**
 * Compares the webhooks with the WEBHOOK_SECRET of this process before it delivers anything. With another one, receivers could
 * not verify a signature, so this throws ConfigError, unless the operator states that an earlier one is `lost`: then the
 * webhooks that need it are disabled.
 */
export const settleSecrets = async (
  deps: Pick<WebhooksDeps, 'store' | 'secrets'>,
  subscriptions: Pick<Subscriptions, 'all'>,
  lost: readonly string[],
): Promise<void> => {
  const { derivedFrom } = deps.secrets;
  const webhooks = [...subscriptions.all()];
  for (const account of new Set(webhooks.filter(isUntraced).map(({ id }) => accountOfKey(id)))) {
    await changeWebhooks(deps, { type: 'trace', derivedFrom }, { caller: account, remainingMs: timeoutMs });
  }
  const unsigned = webhooks.filter((webhook) => webhook.disabled === null && !deps.secrets.holds(webhook));
  const sourceOf = ({ secrets }: (typeof unsigned)[number]): string => secrets[0]?.derived_from ?? derivedFrom;
  const missing = new Set(unsigned.map(sourceOf).filter((source) => !lost.includes(source)));
  if (missing.size > 0) throw new ConfigError(missingText([...missing], { count: unsigned.length, derivedFrom }));
  const reason = new LostSecretError().message;
  for (const { id } of unsigned) await disableWebhook(deps, { id, reason, us: unixMicros() });
};

const missingText = (missing: readonly string[], { count, derivedFrom }: { count: number; derivedFrom: string }) =>
  `The secrets of ${pluralize(count, 'webhook')} are derived from another WEBHOOK_SECRET (fingerprint ${missing.join(', ')}) than this one (${derivedFrom}). ` +
  'Set the other one as WEBHOOK_SECRET, or add it to WEBHOOK_EARLIER_SECRETS. ' +
  `If it is lost, set WEBHOOK_LOST_SECRETS=${missing.join(',')}: these webhooks are then disabled until their owners rotate their secrets.`;
