import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AdminBus,
  connectBus,
  ensureStream,
  rpcClient,
  subjects,
  natsAccounts,
  expectedTopology,
  unlessMissing,
} from '@almanac/bus';
import { type Contract, eventState, exportEvents, keysRpc, type PlanId } from '@almanac/contracts';
import { accountOfKey, parseApiKey, secretHash, unixMicros } from '@almanac/runtime';
import { redisRulesOf } from '@almanac/redis';
import { testNats, type TestNats, testRedis } from '@almanac/testing';
import { runCommandLine } from '../command-line.js';
import { startServiceProcess } from '../services.js';

const password = 'test';

/** The servers that the operator's commands need: NATS with the users of production, commerce and keys. */
export interface OperatorFixture {
  readonly nats: TestNats;
  /** Has all permissions. */
  readonly admin: AdminBus;
  /** The output of a command that must succeed. */
  ok(...args: string[]): Promise<string>;
  /** The output of a command that must exit with 1. */
  fails(...args: string[]): Promise<string>;
  /** The one error sentence of a command that must fail. */
  refused(...args: string[]): Promise<string>;
  /** The output of all commands so far, without the descriptions of accounts. */
  output(): string;
  /** Answers to the next confirmation prompts, one each. Without them a prompt fails the test. */
  answer(...answers: boolean[]): void;
  create(plan?: PlanId): Promise<CreatedKey>;
  asUser(account: string, to: Contract, input: unknown): Promise<unknown>;
  opens(key: string): Promise<boolean>;
  /** Records an event as the catalogue and the export service do. */
  recordEvent(event: string): Promise<void>;
  requestExport(account: string, id: string, event: string): Promise<void>;
  appendToExport(account: string, id: string, type: string): Promise<void>;
  messages(): Promise<StoredText[]>;
  /** Everything that the services logged, at the finest level. */
  logged(): Promise<string>;
  stop(): Promise<void>;
}

export interface CreatedKey {
  readonly key: string;
  readonly id: string;
  readonly account: string;
}

export interface StoredText {
  readonly stream: string;
  readonly subject: string;
  readonly text: string;
}

/** Reads the key from the last line. */
export const keyIn = (out: string): CreatedKey => {
  const key = out.trimEnd().split('\n').at(-1) ?? '';
  const id = parseApiKey(key)?.keyId ?? assert.fail(out);
  return { key, id, account: accountOfKey(id) };
};

export const startOperatorFixture = async (): Promise<OperatorFixture> => {
  const home = await mkdtemp(join(tmpdir(), 'almanac-operator-'));
  const nats = await testNats({ accounts: natsAccounts(() => password, { admin: password }) });
  const redis = await testRedis({ users: [{ user: 'keys', password, rules: redisRulesOf('keys') }] });
  const connect = (user: string): Promise<AdminBus> => connectBus({ url: nats.url, user, password });
  const gateway = await connect('gateway');
  const admin = await connect('admin');
  await ensureStream(admin, 'EVT_CATALOG');
  await ensureStream(admin, 'EVT_EXPORT');
  const start = (service: 'commerce' | 'keys') => {
    const serviceEnvironment = { NATS_URL: nats.url, NATS_USER: service, NATS_PASSWORD: password, LOG_LEVEL: 'trace' };
    const environment = {
      ...serviceEnvironment,
      REDIS_URL: redis.address,
      REDIS_USER: 'keys',
      REDIS_PASSWORD: password,
    };
    const stopping = new AbortController().signal;
    return startServiceProcess({ service, name: service, home, environment, print: console.error, stopping });
  };
  const services = await Promise.all([start('commerce'), start('keys')]);
  const commands = commandsOn(nats.url);
  return {
    nats,
    admin,
    ...commands,
    ...externalCalls(gateway, admin),
    create: async (plan = 'free') => keyIn(await commands.ok('account', 'create', '--plan', plan)),
    messages: () => everyMessage(admin),
    logged: () => everyFile(join(home, 'logs')),
    stop: async () => {
      await Promise.all(services.map((service) => service.stop()));
      await Promise.all([gateway, admin].map((bus) => bus.close()));
      await Promise.all([nats.stop(), redis.stop()]);
      await rm(home, { recursive: true, force: true });
    },
  };
};

/** Runs commands in this process, since a new process for each would take a second. */
const commandsOn = (url: string): Pick<OperatorFixture, 'ok' | 'fails' | 'refused' | 'output' | 'answer'> => {
  let output = '';
  let answers: boolean[] | undefined;
  const run = async (args: readonly string[]) => {
    let [out, err] = ['', ''];
    const left = answers;
    const code = await runCommandLine(args, {
      environment: { NATS_URL: url, NATS_PASSWORD: password },
      print: (line) => void (out += `${line}\n`),
      complain: (line) => void (err += `${line}\n`),
      confirm: left === undefined ? null : async () => left.shift() ?? false,
    });
    if (!args.join(' ').startsWith('account show')) output += out + err;
    return { code, out, err };
  };
  return {
    output: () => output,
    answer: (...next) => void (answers = next),
    ok: async (...args) => {
      const { code, out, err } = await run(args);
      assert.deepEqual([code, err], [0, ''], args.join(' '));
      return out;
    },
    fails: async (...args) => {
      const { code, out, err } = await run(args);
      assert.equal(code, 1, args.join(' '));
      return out + err;
    },
    refused: async (...args) => {
      const { code, out, err } = await run(args);
      assert.deepEqual([code, out], [1, ''], args.join(' '));
      assert.match(err, /^[^\n]+\n$/, args.join(' '));
      return err.trimEnd();
    },
  };
};

type Outside = Pick<OperatorFixture, 'asUser' | 'opens' | 'recordEvent' | 'requestExport' | 'appendToExport'>;

/** Changes to an account that come from elsewhere than the operator. */
const externalCalls = (gateway: AdminBus, admin: AdminBus): Outside => {
  const append = (subject: string, event: { type: string; data: unknown; state: unknown }) =>
    admin.js.publish(
      subject,
      JSON.stringify({ id: randomUUID(), version: 1, time: unixMicros(), account: null, ...event }),
    );
  return {
    asUser: (account, to, input) =>
      rpcClient(gateway).call(to, { input: to.input.parse(input), context: { requestId: randomUUID(), account } }),
    opens: (key) => {
      const { keyId = '', secret = '' } = parseApiKey(key) ?? {};
      const input = { key_id: keyId, secret_hash: secretHash(secret), knows_as_of: true };
      const authentication = rpcClient(gateway).call(keysRpc.authenticate, {
        input,
        context: { requestId: randomUUID() },
      });
      return authentication.then(
        () => true,
        () => false,
      );
    },
    recordEvent: async (event) => {
      const state = eventState.parse({ event_ticker: event, title: 'A title', series: 'A-SERIES' });
      await append(subjects.event(event), { type: 'EventRecorded', data: {}, state });
    },
    requestExport: async (account, id, event) => {
      const exportQuery = { event, ticker: null, series: null, day: null, streams: ['snapshots', 'l2'], format: 'csv' };
      const authentication = {
        query: exportQuery,
        grant: 'unlock',
        file_key: 'k',
        filename: 'f.csv',
        requested_us: 1,
      };
      const file = { storage_key: 's', bytes: 90_103, row_count: 1_450, markets: 1, sha256: 'h' };
      const ended = { ready_us: 2 };
      const state = { id, account, ...authentication };
      const requested = { type: 'ExportRequested', data: authentication, state: { status: 'pending', ...state } };
      const ready = { data: { ...file, ...ended }, state: { status: 'ready', ...state, file, ...ended } };
      const common = { id: 'x', version: 1, time: 1, account, type: 'ExportReady' };
      exportEvents.ExportReady.parse({ ...common, ...ready });
      await append(subjects.export(account, id), requested);
      await append(subjects.export(account, id), { type: 'ExportReady', ...ready });
    },
    appendToExport: async (account, id, type) => {
      await append(subjects.export(account, id), { type, data: {}, state: {} });
    },
  };
};

/** Every message of every stream, with its headers. */
const everyMessage = async (admin: AdminBus): Promise<StoredText[]> => {
  const found: StoredText[] = [];
  for (const stream of expectedTopology.streams) {
    const info = await unlessMissing(admin.jsm.streams.info(stream));
    if (info === undefined) continue;
    const { state } = info;
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
      const message = await admin.jsm.streams.getMessage(stream, { seq });
      if (message === null) continue;
      const text = `${message.subject} ${JSON.stringify([...(message.header ?? [])])} ${message.string()}`;
      found.push({ stream, subject: message.subject, text });
    }
  }
  return found;
};

export const everyFile = async (dir: string): Promise<string> => {
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));
  return texts.join('\n');
};
