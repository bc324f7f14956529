import { createHash, randomUUID } from 'node:crypto';
import { type AdminBus, positionsOf, restorePosition, subjects } from '@almanac/bus';
import { accountState, archiveState, exportState, fileState, keyringState, marketState } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import { streamNames } from './own-services.js';

const eventsPerEntity = 5;
const batchN = 500;

type HistoryEvent = readonly [subject: string, event: object];

/** Publishes the events of each kind with these numbers. The numbers from 0 have five events of each entity. */
export const publishHistory = async (bus: AdminBus, from: number, to: number): Promise<void> => {
  const entities = Math.max(1, to / eventsPerEntity);
  for (const eventOf of kinds) await publishEvents(bus, from, to, (n) => eventOf(n % entities));
};

export const publishEvents = async (
  { js }: AdminBus,
  from: number,
  to: number,
  eventOf: (n: number) => HistoryEvent,
): Promise<void> => {
  for (let n = from; n < to; n += batchN) {
    const batch = Array.from({ length: Math.min(batchN, to - n) }, (_, at) => eventOf(n + at));
    await Promise.all(batch.map(([subject, event]) => js.publish(subject, JSON.stringify(event))));
  }
};

/** Sets every durable consumer to the end of its stream: the release before handled all events. */
export const skipHistory = async (bus: AdminBus): Promise<void> => {
  for (const stream of streamNames) {
    const { last_seq: acknowledged } = (await bus.jsm.streams.info(stream)).state;
    const consumers = await bus.jsm.consumers.list(stream).next();
    const named = consumers.flatMap(({ config: { durable_name: durable } }) =>
      durable === undefined ? [] : [{ stream, durable }],
    );
    for (const position of await positionsOf(bus, named)) {
      await bus.jsm.consumers.delete(stream, position.durable);
      await restorePosition(bus, { ...position, acknowledged });
    }
  }
};

const event = (type: string, data: object, state: object, account: string | null = null): object => {
  const time = account === null ? 1 : unixMicros();
  return { id: randomUUID(), type, version: 1, time, account, data, state };
};

const hashOf = (n: number): string => createHash('sha256').update(String(n)).digest('hex');
const file = (n: number) => ({ storage_key: hashOf(n), bytes: 1, row_count: 1, markets: 1, sha256: hashOf(n) });

/** A file of an account that became ready. */
export const exportReady = (n: number, account: string): HistoryEvent => {
  const id = `e${n}`;
  const requested = { query: query(n), grant: 'plan', file_key: hashOf(n), filename: `${id}.csv`, requested_us: 1 };
  const data = { ...file(n), ready_us: 2 };
  const state = exportState.parse({ status: 'ready', id, account, ...requested, file: file(n), ready_us: 2 });
  return [subjects.export(account, id), event('ExportReady', data, state, account)];
};

const query = (n: number) => ({
  event: null,
  ticker: `M${n}`,
  series: null,
  day: null,
  streams: ['snapshots'],
  format: 'csv',
  numbers: 'float',
});

/** An event of the nth entity of each kind, in the shape that its service records. */
const kinds: readonly ((n: number) => HistoryEvent)[] = [
  (n) => {
    const account = `a${n}`;
    const counts = { credits_granted: 0, credits_used: 0, exports_today: { day: '2026-03-01', count: 0 } };
    const state = accountState.parse({ account, plan: 'pro', ...counts, reservations: {} });
    return [subjects.account(account), event('PlanChanged', { plan: 'pro' }, state)];
  },
  (n) => {
    const account = `a${n}`;
    const key = { id: `${account}key`, name: 'bench', last4: 'abcd', hash: hashOf(n), created_us: 1, revoked_us: null };
    return [subjects.keyring(account), event('KeyCreated', key, keyringState.parse({ account, keys: [key] }))];
  },
  /** A change of old data: too old for a preview. */
  (n) => {
    const state = archiveState.parse({ ticker: `M${n}`, version: 1, min_us: 1, max_us: 1 });
    const data = { rows: 1, min_us: 1, max_us: 1, cause: 'observations' };
    return [subjects.archive(`M${n}`), event('MarketDataChanged', data, state)];
  },
  (n) => {
    const parents = { series: `S${n % 100}`, event_ticker: `E${n % 1_000}` };
    const state = marketState.parse({ ticker: `M${n}`, ...parents, title: `Title ${n}` });
    return [subjects.market(`M${n}`), event('MarketRecorded', { ticker: `M${n}` }, state)];
  },
  (n) => exportReady(n, `a${n % 100}`),
  (n) => {
    const common = { key: hashOf(n), status: 'ready', query: query(n), file: file(n) };
    const state = fileState.parse({ ...common, error: null, requested_us: 1 });
    return [subjects.file(hashOf(n)), event('FileReady', file(n), state)];
  },
];
