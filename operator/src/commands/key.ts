import { randomUUID } from 'node:crypto';
import { type Bus, isValidId, rpcClient } from '@almanac/bus';
import { type ApiKey, apiKeyBody, type CallContext, keysRpc } from '@almanac/contracts';
import { accountOfKey, parseApiKey } from '@almanac/runtime';
import type { z } from 'zod';
import { clean, moment } from '../history/format.js';
import { createKey } from '../operator.js';
import { type Command, findAccount } from './command.js';
import { UsageError } from '../error-message.js';

export const keyCreate: Command = {
  words: 'key create',
  takes: '--account ACCOUNT [--name N] [--as-of SECONDS]',
  does: 'Creates another API key for an account, up to the limit of its plan, and prints it on the last line. With --as-of, in Unix seconds, it reads the archive as of that time.',
  options: ['account', 'name', 'as-of'],
  hasSubject: false,
  run: async (cliContext) => {
    const name = apiKeyBody.shape.name.safeParse(cliContext.text('name'));
    if (!name.success) throw new UsageError('The name of a key must have 1 to 80 characters.');
    const asOf = cliContext.text('as-of');
    const as_of = apiKeyBody.shape.as_of.safeParse(asOf === undefined ? undefined : Number(asOf));
    if (!as_of.success) throw new UsageError('The time of --as-of must be Unix seconds, such as 1771993500.');
    const { account } = (await findAccount(cliContext)).state;
    const key = await createKey(cliContext.bus, { account, name: name.data, as_of: as_of.data });
    cliContext.show([{ account, key }], `A key of the account ${account}, shown only now:\n${key}`);
  },
};

export const keyList: Command = {
  words: 'key list',
  takes: '--account ACCOUNT',
  does: 'Lists the keys of an account, newest first, without their secrets.',
  options: ['account'],
  hasSubject: true,
  run: async (cliContext) => {
    const { account } = (await findAccount(cliContext)).state;
    const context = { requestId: randomUUID(), account };
    const keys = await allKeys(cliContext.bus, context);
    cliContext.show(keys, keys.length === 0 ? 'No keys.' : keys.map(keyLine).join('\n'));
  },
};

type KeysPage = z.output<typeof keysRpc.list.output>;

/** Reads every page of an account's keys. */
export const allKeys = async (bus: Bus, context: CallContext): Promise<ApiKey[]> => {
  const client = rpcClient(bus);
  const keys: ApiKey[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: KeysPage = await client.call(keysRpc.list, { input: { cursor }, context });
    keys.push(...page.keys);
    cursor = page.next_cursor;
  }
  return keys;
};

const keyLine = ({ id, name, status, created_ts, last_used_ts, revoked_ts, as_of }: ApiKey): string => {
  const used = last_used_ts === null ? 'use not known' : `used ${momentOf(last_used_ts)}`;
  const end = revoked_ts === null ? used : `revoked ${momentOf(revoked_ts)}`;
  const fence = as_of === null ? '' : `, reads as of ${momentOf(as_of)}`;
  return `${id}  ${status.padEnd(8)} created ${momentOf(created_ts)}, ${end}${fence}  ${clean(name)}`;
};

const momentOf = (seconds: number): string => moment(seconds * 1e6);

export const keyRevoke: Command = {
  words: 'key revoke',
  takes: 'KEY',
  does: 'Revokes a key. Use the id that key list shows. Gateways refuse the key within a second.',
  options: [],
  hasSubject: true,
  run: async ({ bus, subject, show }) => {
    if (subject === undefined) throw new UsageError('Name the key by its id. `key list` shows the ids.');
    const id = keyIdIn(subject);
    const context = { requestId: randomUUID(), account: accountOfKey(id) };
    const { name } = await rpcClient(bus).call(keysRpc.revoke, { input: { key_id: id }, context });
    show([{ id, name, status: 'revoked' }], `The key ${id} (${clean(name)}) is revoked.`);
  },
};

/** Also accepts a full key or its beginning. */
const keyIdIn = (given: string): string => {
  const id = parseApiKey(given)?.keyId ?? given.replace(/^ak_live_/, '');
  if (!isValidId(id) || !/^[a-z0-9]+$/.test(id))
    throw new UsageError('The key id is not valid. `key list` shows the ids.');
  return id;
};
