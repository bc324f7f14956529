import { type AdminBus, patterns, readSubjects, unlessMissing } from '@almanac/bus';
import { webhooksState } from '@almanac/contracts';
import { pluralize } from '@almanac/runtime';
import { UsageError } from '../error-message.js';
import type { Manifest } from './manifest.js';

/** From which WEBHOOK_SECRETs the webhooks derive their secrets. The secrets themselves are in no backup. */
export const countWebhookSecrets = async (bus: AdminBus): Promise<Manifest['webhook_secrets']> => {
  if ((await unlessMissing(bus.jsm.streams.info('EVT_WEBHOOK'))) === undefined) return [];
  const counts = new Map<string | null, number>();
  const onUnreadable = (error: unknown): never => {
    throw new UsageError('The webhooks of an account cannot be read, so the backup would be incomplete.', {
      cause: error,
    });
  };
  const read = readSubjects(bus, { stream: 'EVT_WEBHOOK', filter: patterns.allWebhooks, lastOnly: true, onUnreadable });
  for await (const { event } of read) {
    for (const { secrets } of webhooksState.parse(event.state).webhooks) {
      const source = secrets[0]?.derived_from ?? null;
      counts.set(source, (counts.get(source) ?? 0) + 1);
    }
  }
  return [...counts].map(([fingerprint, webhooks]) => ({ fingerprint, webhooks }));
};

/** What a restored system could not sign for, with the fingerprints that it `holds`. */
export interface LostSecrets {
  readonly fingerprints: readonly string[];
  readonly webhooks: number;
}

/** Earlier backups, and webhooks of earlier releases, do not say from which secret they derive theirs. */
export const lostSecrets = ({ webhook_secrets: sources }: Manifest, holds: readonly string[]): LostSecrets | null => {
  const lost = (sources ?? []).filter(({ fingerprint }) => fingerprint !== null && !holds.includes(fingerprint));
  if (lost.length === 0) return null;
  return {
    fingerprints: lost.flatMap(({ fingerprint }) => fingerprint ?? []),
    webhooks: lost.reduce((sum, { webhooks }) => sum + webhooks, 0),
  };
};

/** Says what breaks, then how to prevent it. */
export const lostSecretsText = ({ fingerprints, webhooks }: LostSecrets, remedy: string): string =>
  `The secrets of ${pluralize(webhooks, 'webhook')} are derived from a WEBHOOK_SECRET that is not here (fingerprint ${fingerprints.join(', ')}). ` +
  `Without it, receivers cannot verify deliveries, so these webhooks are disabled until their owners rotate the secrets. ${remedy}`;
