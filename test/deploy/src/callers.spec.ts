import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { allContracts, callersOf, type Contracts, serviceContracts, streamsRpc, userNames } from '@almanac/contracts';
import { readText, repository } from './repository.js';

const folderOf = (user: string): string => (user === 'operator' ? 'operator/src' : `services/${user}/src`);

/** The sources of the programs that log in as a user, without tests. */
const sourcesOf = async (user: string): Promise<readonly string[]> => {
  const files = await readdir(join(repository, folderOf(user)), { recursive: true });
  const own = files.filter((file) => file.endsWith('.ts') && !/(^|\/)testing\/|\.spec\.ts$|-suite\.ts$/.test(file));
  return Promise.all(own.map((file) => readText(`${folderOf(user)}/${file}`)));
};

/** `rpc.call(keysRpc.list, …)`, and the routes of the gateway: `contract: keysRpc.list`. */
const call = /(?:\.call\(\s*|\bcontract: )(\w+)Rpc(?:\.(\w+)|\[)/g;

const contractsIn = (source: string): readonly string[] => {
  const services: Readonly<Record<string, Contracts>> = serviceContracts;
  return [...source.matchAll(call)].flatMap(([text, service = '', name]) => {
    // Of each service.
    if (service === 'streams') return Object.values(streamsRpc).map(nameOf);
    const contract = services[service]?.[name ?? ''];
    assert.ok(contract !== undefined, `${text} is no contract`);
    return nameOf(contract);
  });
};

const nameOf = ({ service, method }: { service: string; method: string }): string => `${service}/${method}`;

describe('the callers of a contract', () => {
  // Subscribers are programs of others, and call nothing.
  for (const user of userNames.filter((name) => name !== 'subscriber')) {
    it(`name ${user} if its code calls it, and only then`, async () => {
      const called = (await sourcesOf(user)).flatMap(contractsIn);
      const stated = allContracts.filter((contract) => callersOf(contract).includes(user)).map(nameOf);
      assert.deepEqual(
        [...new Set(called)].toSorted(),
        stated.toSorted(),
        `set "callers" in libs/contracts as ${folderOf(user)} calls`,
      );
    });
  }
});
