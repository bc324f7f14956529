// Two whole systems on a newer nats-server. The gate has the move and a system that began with four partitions.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { natsAccounts } from '@almanac/bus';
import { localServers, type NatsAccount, type ServerStarters } from '@almanac/local-servers';
import { storeGeneratedArchive, type System } from '@almanac/operator';
import { eventually, newNatsProgram } from '@almanac/testing';
import { type ApiClient, apiClient } from '../api.js';
import { type SystemHarness, startHarness } from '../harness.js';
import { answersFor, catalogue, exportsMarket } from '../whole-catalogue.js';

const run = promisify(execFile);
const partitions = 4;
const programOf = (name: string): string =>
  fileURLToPath(new URL(`../../../../operator/dist/${name}.js`, import.meta.url));

describe('a system whose streams move to four partitions', () => {
  let home = '';
  let running: SystemHarness;
  let key = '';
  let api: ApiClient;
  let before_: string[];
  const nowS = Math.floor(Date.now() / 1_000);
  const start = async (): Promise<void> => {
    running = await startHarness({ home, servers: serversWithPartitions });
    api = apiClient(running.system.baseUrls[0], key);
  };

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-moved-'));
    process.env['ALMANAC_BIN'] = dirname(await newNatsProgram());
    await start();
    key = await running.key('internal');
    api = apiClient(running.system.baseUrls[0], key);
    await storeGeneratedArchive(running.system, nowS - 7_200);
    before_ = await catalogue(api);
    assert.ok(before_.length > 20, String(before_.length));
  });
  after(async () => {
    await running.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it('answers reads while they move, and refuses changes until its restart', async () => {
    let moving = true;
    const moved = move(running.system).finally(() => (moving = false));
    while (moving) await answersFor(api, before_);
    assert.match(await moved, /Restart all services and commands with NATS_PARTITIONS=4 now/);
    assert.deepEqual(await catalogue(api), before_);
    await exportsMarket(api);
    await assert.rejects(storeGeneratedArchive(running.system, nowS), /could not confirm that the change was saved/);
  });

  it('has every market after its restart, takes new ones, and reports no problem', async () => {
    await running.stop();
    process.env['NATS_PARTITIONS'] = String(partitions);
    await start();
    assert.deepEqual(await catalogue(api), before_);
    await answersFor(api, before_);
    await exportsMarket(api);
    await storeGeneratedArchive(running.system, nowS);
    const all = await catalogue(api);
    assert.deepEqual(
      before_.filter((market) => !all.includes(market)),
      [],
    );
    assert.ok(all.length > before_.length);
    await answersFor(api, all);
    await exportsMarket(api);
    await eventually(async () =>
      assert.equal((await almanac({ ALMANAC_HOME: home }, 'doctor')).trim(), 'No problems found.'),
    );
  });

  it('has the same catalogue after a rebuild from its partitions', async () => {
    const all = await catalogue(api);
    await run(process.execPath, [programOf('rebuild'), 'catalogue'], { env: { ...process.env, ALMANAC_HOME: home } });
    assert.deepEqual(await catalogue(api), all);
    await answersFor(api, all);
  });
});

/** The users of nats-server may use four partitions from the start, as docs/scaling.md tells an operator to do first. */
const serversWithPartitions: ServerStarters = {
  ...localServers,
  nats: ({ accounts, ...options }) => {
    const passwords = passwordsOf(accounts);
    return localServers.nats({
      ...options,
      accounts: natsAccounts((user) => passwords.get(user) ?? '', {}, partitions),
    });
  },
};

const passwordsOf = (accounts: Readonly<Record<string, NatsAccount>> = {}): ReadonlyMap<string, string> =>
  new Map(Object.values(accounts).flatMap(({ users }) => users.map(({ user, password }) => [user, password])));

const almanac = async (variables: object, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await run(process.execPath, [programOf('almanac'), ...args], {
    env: { ...process.env, ...variables },
  });
  return stdout + stderr;
};

const move = ({ infrastructure, secrets }: System): Promise<string> =>
  almanac(
    {
      NATS_URL: infrastructure.natsUrl,
      NATS_PASSWORD_CATALOG: secrets.nats.catalog,
      NATS_PASSWORD_TIMESERIES: secrets.nats.timeseries,
    },
    'partitions',
    'move',
    '--to',
    String(partitions),
  );
