import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { StoredWebhook } from '@almanac/contracts';

type Signed = Pick<StoredWebhook, 'id' | 'created_us' | 'secrets'>;

export interface WebhookSecrets {
  /** The newest secret, as its user has it. */
  current(webhook: Signed): string;
  /** The value of `webhook-signature`: one signature for each secret that is valid. */
  signatures(webhook: Signed, message: { id: string; timestamp: number; body: string }): string;
}

/**
 * Secrets are derived and not stored: signing needs the plain secret, and a stored one could leak from a stream, a backup
 * or a log. `created_us` distinguishes a webhook from a deleted one with the same id.
 */
export const webhookSecrets = (serviceSecret: string): WebhookSecrets => {
  const serviceKey = createSecretKey(serviceSecret, 'utf8');
  const derive = ({ id, created_us }: Signed, version: number): KeyObject =>
    createSecretKey(createHmac('sha256', serviceKey).update(`almanac webhook ${id} ${created_us} ${version}`).digest());
  /** Of webhooks in memory. Deriving a key for each delivery would take as long as signing it. */
  const derived = new WeakMap<Signed, Map<number, KeyObject>>();
  const keyOf = (webhook: Signed, version: number): KeyObject => {
    const keys = derived.get(webhook) ?? new Map<number, KeyObject>();
    const key = keys.get(version) ?? derive(webhook, version);
    derived.set(webhook, keys.set(version, key));
    return key;
  };
  return {
    current: (webhook) =>
      `whsec_${keyOf(webhook, webhook.secrets[0]?.version ?? 1)
        .export()
        .toString('base64')}`,
    signatures: (webhook, { id, timestamp, body }) =>
      webhook.secrets
        .filter(({ expires_us }) => expires_us === null || expires_us > timestamp * 1e6)
        .map(({ version }) => {
          const signature = createHmac('sha256', keyOf(webhook, version)).update(`${id}.${timestamp}.${body}`);
          return `v1,${signature.digest('base64')}`;
        })
        .join(' '),
  };
};
