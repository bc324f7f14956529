import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { StoredWebhook } from '@almanac/contracts';
import { secretFingerprint } from '@almanac/runtime';

type Signed = Pick<StoredWebhook, 'id' | 'created_us' | 'secrets'>;
type SignedVersion = Signed['secrets'][number];

export interface WebhookSecrets {
  /** Fingerprint of the WEBHOOK_SECRET from which new secrets are derived. */
  readonly derivedFrom: string;
  /** Whether this process has the WEBHOOK_SECRET of the newest secret. */
  holds(webhook: Signed): boolean;
  /** The newest secret, as its user has it. Throws LostSecretError. */
  current(webhook: Signed): string;
  /** The value of `webhook-signature`: one signature for each secret that is valid. Throws LostSecretError. */
  signatures(webhook: Signed, message: { id: string; timestamp: number; body: string }): string;
}

/** This process has no WEBHOOK_SECRET from which the newest secret of a webhook is derived. The message is for its owner. */
export class LostSecretError extends Error {
  override readonly name = 'LostSecretError';
  constructor() {
    super('The server no longer has the secret of this webhook. Rotate the secret, then enable the webhook.');
  }
}

/**
 * Secrets are derived and not stored: signing needs the plain secret, and a stored one could leak from a stream, a backup
 * or a log. `created_us` distinguishes a webhook from a deleted one with the same id. Secrets that were derived from an
 * `earlier` WEBHOOK_SECRET stay as they are until their owners rotate them.
 */
export const webhookSecrets = (serviceSecret: string, earlier: readonly string[] = []): WebhookSecrets => {
  const derivedFrom = secretFingerprint(serviceSecret);
  const serviceKeys = new Map(
    [...earlier, serviceSecret].map((secret) => [secretFingerprint(secret), createSecretKey(secret, 'utf8')]),
  );
  const serviceKeyOf = (secret: SignedVersion): KeyObject | undefined =>
    serviceKeys.get(secret.derived_from ?? derivedFrom);
  /** Of webhooks in memory. Deriving a key for each delivery would take as long as signing it. */
  const derived = new WeakMap<SignedVersion, KeyObject>();
  const keyOf = ({ id, created_us }: Signed, secret: SignedVersion | undefined): KeyObject => {
    const serviceKey = secret && serviceKeyOf(secret);
    if (secret === undefined || serviceKey === undefined) throw new LostSecretError();
    const text = `almanac webhook ${id} ${created_us} ${secret.version}`;
    const key = derived.get(secret) ?? createSecretKey(createHmac('sha256', serviceKey).update(text).digest());
    derived.set(secret, key);
    return key;
  };
  const holds = ({ secrets: [newest] }: Signed): boolean => newest !== undefined && serviceKeyOf(newest) !== undefined;
  return {
    derivedFrom,
    holds,
    current: (webhook) => `whsec_${keyOf(webhook, webhook.secrets[0]).export().toString('base64')}`,
    signatures: (webhook, { id, timestamp, body }) => {
      if (!holds(webhook)) throw new LostSecretError();
      return webhook.secrets
        .filter(({ expires_us }) => expires_us === null || expires_us > timestamp * 1e6)
        .filter((secret) => serviceKeyOf(secret) !== undefined)
        .map((secret) => {
          const signature = createHmac('sha256', keyOf(webhook, secret)).update(`${id}.${timestamp}.${body}`);
          return `v1,${signature.digest('base64')}`;
        })
        .join(' ');
    },
  };
};
