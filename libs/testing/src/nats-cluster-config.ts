import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testTls } from './tls.js';

const shippedFolder = fileURLToPath(new URL('../../../deploy/nats', import.meta.url));

export interface ServerPlace {
  /** Of its configuration, created if missing. */
  readonly folder: string;
  readonly data: string;
  readonly port: number;
  readonly monitor: number;
  readonly route: number;
  /** In place of those of `users.conf`. */
  readonly users?: string | undefined;
}

/** Each server tells the others its address for routes. There nobody listens, so that routes pass through the links. */
const unusedPort = 9;

/**
 * Writes the shipped configuration. Only addresses, ports and folders are replaced, each in the one place where it stands. Returns
 * the names of the variables that have passwords of users.
 */
export const writeClusterConfig = async (place: ServerPlace): Promise<readonly string[]> => {
  const { folder, data, port, monitor, route, users } = place;
  const texts = await shippedTexts();
  const replace = (shipped: string, here: string): void => {
    const [found, ...more] = [...texts].filter(([name, text]) => name !== 'local.conf' && text.includes(shipped));
    if (found === undefined || more.length > 0 || found[1].split(shipped).length !== 2)
      throw new Error(`the configuration of a cluster must have ${shipped} once`);
    texts.set(found[0], found[1].replace(shipped, here));
  };
  replace('"0.0.0.0:4222"', `"127.0.0.1:${port}"`);
  replace('"0.0.0.0:8222"', `"127.0.0.1:${monitor}"`);
  replace('"0.0.0.0:6222"', `"127.0.0.1:${route}"\nadvertise: "127.0.0.1:${unusedPort}"`);
  replace('"/data"', JSON.stringify(data));
  replace('"/etc/nats-tls/tls.crt"', JSON.stringify(testTls.certificate));
  replace('"/etc/nats-tls/tls.key"', JSON.stringify(testTls.key));
  replace('"/etc/nats-tls/ca.crt"', JSON.stringify(testTls.authority));
  if (users !== undefined) texts.set('users.conf', users);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of texts) await writeFile(join(folder, name), text);
  const names = (texts.get('users.conf') ?? '').matchAll(/\$(NATS_PASSWORD_[A-Z]+)/g);
  return Array.from(names, ([, name = '']) => name);
};

const shippedTexts = async (): Promise<Map<string, string>> => {
  const texts = new Map<string, string>();
  for (const name of await readdir(shippedFolder))
    if (name.endsWith('.conf')) texts.set(name, await readFile(join(shippedFolder, name), 'utf8'));
  return texts;
};
