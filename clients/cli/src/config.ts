import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { FileError } from '@almanac/client/node';
import { SignedOutError } from './errors.js';
import type { Terminal } from './terminal.js';

/** A key and the server that it is for. */
export interface Login {
  readonly base_url: string;
  readonly api_key: string;
}

export const configPath = ({ env }: Pick<Terminal, 'env'>): string => {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return join(given === '' ? join(env['HOME'] ?? homedir(), '.config') : given, 'almanac-data', 'config.json');
};

/** Undefined if nobody has signed in. */
export const readLogin = async (path: string): Promise<Login | undefined> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable(path, `cannot be read (${codeOf(error)})`, error);
  }
  const login = parsed(text);
  if (login === undefined) throw unusable(path, 'is damaged', undefined);
  return login;
};

const parsed = (text: string): Login | undefined => {
  try {
    const { base_url, api_key } = JSON.parse(text) as Record<string, unknown>;
    return typeof base_url === 'string' && typeof api_key === 'string' ? { base_url, api_key } : undefined;
  } catch {
    return undefined;
  }
};

/** Others must never be able to read the key, not even before the file has its name. */
export const writeLogin = async (path: string, login: Login): Promise<void> => {
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(login, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') await rm(draft, { force: true });
    throw unusable(path, `cannot be written (${codeOf(error)})`, error);
  }
};

/** Whether there was one. */
export const removeLogin = async (path: string): Promise<boolean> => {
  const wasThere = (await stat(path).catch(() => undefined)) !== undefined;
  await rm(path, { force: true });
  return wasThere;
};

/** Whether other users of the machine can read the key. */
export const isReadableByOthers = async (path: string): Promise<boolean> => {
  if (process.platform === 'win32') return false;
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && (found.mode & 0o077) !== 0;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const unusable = (path: string, what: string, cause: unknown): FileError =>
  new FileError({
    code: 'file_unwritable',
    detail: `${path} ${what}.`,
    remedy: 'Check who owns it, or remove it, then run almanac-data login.',
    cause,
  });

const sameServer = (one: string, other: string): boolean => serverOf(one) === serverOf(other);
const serverOf = (url: string): string =>
  url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/api\/v1$/, '');

/**
 * The server and the key to use. Options win over variables, and variables over the stored login. A stored key is sent only
 * to the server that it is for.
 */
export const loginOf = (
  { env }: Pick<Terminal, 'env'>,
  urlOption: string | undefined,
  stored: Login | undefined,
): Login => {
  const given = urlOption ?? nonEmpty(env['ALMANAC_BASE_URL']);
  const base_url = given ?? stored?.base_url;
  const isForServer = stored !== undefined && base_url !== undefined && sameServer(base_url, stored.base_url);
  const api_key = nonEmpty(env['ALMANAC_API_KEY']) ?? (isForServer ? stored.api_key : undefined);
  const remedy = 'Run almanac-data login, or set ALMANAC_BASE_URL and ALMANAC_API_KEY.';
  if (base_url === undefined) throw new SignedOutError('The address of the server is missing.', remedy);
  if (api_key !== undefined) return { base_url, api_key };
  throw new SignedOutError(
    stored === undefined ? 'You are signed out.' : `The stored key is for ${stored.base_url}, not for ${base_url}.`,
    remedy,
  );
};

const nonEmpty = (text: string | undefined): string | undefined => (text?.trim() === '' ? undefined : text);
