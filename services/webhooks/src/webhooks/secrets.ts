import { createHmac } from 'node:crypto';
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
  const bytesOf = ({ id, created_us }: Signed, version: number): Buffer =>
    createHmac('sha256', serviceSecret).update(`almanac webhook ${id} ${created_us} ${version}`).digest();
  return {
    current: (webhook) => `whsec_${bytesOf(webhook, webhook.secrets[0]?.version ?? 1).toString('base64')}`,
    signatures: (webhook, { id, timestamp, body }) =>
      webhook.secrets
        .filter(({ expires_us }) => expires_us === null || expires_us > timestamp * 1e6)
        .map(({ version }) => {
          const signature = createHmac('sha256', bytesOf(webhook, version)).update(`${id}.${timestamp}.${body}`);
          return `v1,${signature.digest('base64')}`;
        })
        .join(' '),
  };
};
