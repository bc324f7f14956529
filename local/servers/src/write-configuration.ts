import { readFile, rename, writeFile } from 'node:fs/promises';

/**
 * Writes a server's configuration, which contains passwords. An equal file stays as it is, and a failed write leaves the
 * previous file, so that a server can be restarted on a full disk.
 */
export const writeConfiguration = async (path: string, text: string): Promise<void> => {
  const previous = await readFile(path, 'utf8').catch(() => undefined);
  if (previous === text) return;
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
};
