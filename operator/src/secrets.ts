import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { userNames } from '@almanac/contracts';
import { clickHouseServices } from '@almanac/clickhouse';
import { redisUserNames } from '@almanac/redis';
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
  s3: z.object({ accessKeyId: secret, secretAccessKey: secret }),
  /** Stores and reads slabs. */
  s3Slabs: z.object({ accessKeyId: secret, secretAccessKey: secret }),
  /** Creates the bucket and its policy. */
  s3Root: z.object({ accessKeyId: secret, secretAccessKey: secret }),
});
export type Secrets = z.infer<typeof secrets>;

const fresh = (): string => randomBytes(24).toString('hex');

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
  const { data: earlier } = secrets.pick({ webhook: true }).safeParse(read);
  const generated = { ...make(), ...earlier };
  await writePrivate(path, JSON.stringify(generated, null, 2));
  return generated;
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
