import { access, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalServerError } from './errors.js';

/** The account in which nats-server keeps the streams of a configuration without accounts. */
const globalAccount = '$G';

/**
 * Moves the streams of a server that had no accounts into the account of the same name, with their consumers'
 * positions. No server may use the folder. An end in the middle leaves each stream in one of its places.
 */
export const moveStreams = async (
  dir: string,
  accounts: Readonly<Record<string, { readonly jetstream?: boolean }>>,
): Promise<void> => {
  for (const [stream, { jetstream }] of Object.entries(accounts)) {
    if (jetstream !== true) continue;
    const from = join(dir, 'jetstream', globalAccount, 'streams', stream);
    const folder = join(dir, 'jetstream', stream, 'streams');
    if (!(await exists(from))) continue;
    if (await exists(join(folder, stream))) {
      throw new LocalServerError(
        `The stream ${stream} is in ${from} and in ${folder}. Remove the one that is not yours.`,
      );
    }
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(from, join(folder, stream));
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
