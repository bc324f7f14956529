import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { userNames } from '@almanac/contracts';
import { clickHouseServices } from '@almanac/clickhouse';
import { redisUserNames } from '@almanac/redis';
import { secretFingerprint } from '@almanac/runtime';
import { z } from 'zod';

const secret = z.string().min(16);
const clickHouseUsers = ['admin', ...clickHouseServices] as const;

/** Passwords of a local system, created at its first start and stored in its home with mode 0600. */
const secrets = z.object({
  nats: z.record(z.enum(userNames), secret),
  clickhouse: z.record(z.enum(clickHouseUsers), secret),
  redis: z.record(z.enum(redisUserNames), secret),
  /** Signs sessions. */
  session: secret,
  /** The secrets of webhooks are derived from it. */
  webhook: secret.min(32),
  /** Earlier ones, from which secrets of webhooks are derived, too. */
  webhookEarlier: z.array(secret.min(32)).default([]),
  /** Fingerprints of those that a restore did not have. */
  webhookLost: z.array(z.string()).default([]),
  s3: z.object({ accessKeyId: secret, secretAccessKey: secret }),
  /** Stores and reads slabs. */
  s3Slabs: z.object({ accessKeyId: secret, secretAccessKey: secret }),
  /** Creates the bucket and its policy. */
  s3Root: z.object({ accessKeyId: secret, secretAccessKey: secret }),
});
export type Secrets = z.infer<typeof secrets>;

const fresh = (): string => randomBytes(24).toString('hex');

/** What other secrets are derived from stays when the others are replaced. */
const ofWebhooks = secrets
  .pick({ webhookEarlier: true, webhookLost: true })
  .extend({ webhook: secrets.shape.webhook.optional() });

const make = (): Secrets =>
  secrets.parse({
    nats: Object.fromEntries(userNames.map((user) => [user, fresh()])),
    clickhouse: Object.fromEntries(clickHouseUsers.map((user) => [user, fresh()])),
    redis: Object.fromEntries(redisUserNames.map((user) => [user, fresh()])),
    session: fresh(),
    webhook: fresh(),
    s3: { accessKeyId: fresh(), secretAccessKey: fresh() },
    s3Slabs: { accessKeyId: fresh(), secretAccessKey: fresh() },
    s3Root: { accessKeyId: fresh(), secretAccessKey: fresh() },
  });

/** The secrets of this home. An outdated or damaged file is replaced: only webhooks depend on a value, and it stays. */
export const loadSecrets = async (home: string): Promise<Secrets> => {
  const path = join(home, 'secrets.json');
  const read = await readJson(path);
  const stored = secrets.safeParse(read);
  if (stored.success) return stored.data;
  const { webhook, ...lists } = ofWebhooks.safeParse(read).data ?? {};
  const generated: Secrets = { ...make(), ...lists, ...(webhook === undefined ? {} : { webhook }) };
  await writePrivate(path, JSON.stringify(generated, null, 2));
  return generated;
};

/** The fingerprints of the secrets of a home from which it derives those of webhooks. Empty for a new home. */
export const webhookFingerprints = async (home: string): Promise<string[]> => {
  const { data } = ofWebhooks.safeParse(await readJson(join(home, 'secrets.json')));
  return [data?.webhook ?? [], data?.webhookEarlier ?? []].flat().map(secretFingerprint);
};

/** Lets the home's system start without secrets from which those of webhooks were derived. */
export const giveUpWebhookSecrets = async (home: string, fingerprints: readonly string[]): Promise<void> => {
  const stored = await loadSecrets(home);
  const webhookLost = [...new Set([...stored.webhookLost, ...fingerprints])];
  await writePrivate(join(home, 'secrets.json'), JSON.stringify({ ...stored, webhookLost }, null, 2));
};

const readJson = async (path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return {};
    throw error;
  }
};

/** Writes a new file and renames it, so that a kill halfway leaves the old one intact. Only the owner may read it. */
export const writePrivate = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
};
