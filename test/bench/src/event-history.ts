import { createHash, randomUUID } from 'node:crypto';
import { type AdminBus, ensureStream, positionsOf, restorePosition, subjects } from '@almanac/bus';
import {
  accountState,
  archiveState,
  exportState,
  fileState,
  keyringState,
  marketState,
  type StreamName,
  streams as allStreams,
} from '@almanac/contracts';

const eventsPerEntity = 5;
const batchN = 500;

export const createStreams = async (bus: AdminBus): Promise<void> => {
  for (const stream of streamNames) await ensureStream(bus, stream);
};

/** Publishes `eventsN` events to each of the streams, five of each entity. */
export const publishHistory = async (
  bus: AdminBus,
  streams: readonly PublishedStream[],
  eventsN: number,
): Promise<void> => {
  const entities = Math.max(1, eventsN / eventsPerEntity);
  for (const stream of streams) {
    for (let n = 0; n < eventsN; n += batchN) {
      const events = Array.from({ length: Math.min(batchN, eventsN - n) }, (_, at) =>
        eventOf[stream]((n + at) % entities),
      );
      await Promise.all(events.map(([subject, event]) => bus.js.publish(subject, JSON.stringify(event))));
    }
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

const streamNames = Object.keys(allStreams) as StreamName[];

type PublishedEvent = readonly [subject: string, event: object];

const event = (type: string, data: object, state: object): object => ({
  id: randomUUID(),
  type,
  version: 1,
  time: 1,
  account: null,
  data,
  state,
});

/** An event of the nth entity, in the shape that its service records. */
const eventOf = {
  EVT_COMMERCE: (n: number): PublishedEvent => {
    const account = `a${n}`;
    const counts = { credits_granted: 0, credits_used: 0, exports_today: { day: '2026-03-01', count: 0 } };
    const state = accountState.parse({ account, plan: 'pro', ...counts, reservations: {} });
    return [subjects.account(account), event('PlanChanged', { plan: 'pro' }, state)];
  },
  EVT_KEYS: (n: number): PublishedEvent => {
    const account = `a${n}`;
    const key = { id: `${account}key`, name: 'bench', last4: 'abcd', hash: hashOf(n), created_us: 1, revoked_us: null };
    return [subjects.keyring(account), event('KeyCreated', key, keyringState.parse({ account, keys: [key] }))];
  },
  /** A change of old data: too old for a preview. */
  EVT_ARCHIVE: (n: number): PublishedEvent => {
    const ticker = `M${n}`;
    const change = { rows: 1, min_us: 1, max_us: 1 };
    const state = archiveState.parse({ ticker, version: 1, min_us: 1, max_us: 1 });
    return [subjects.archive(ticker), event('MarketDataChanged', { ...change, cause: 'observations' }, state)];
  },
  EVT_CATALOG: (n: number): PublishedEvent => {
    const ticker = `M${n}`;
    const state = marketState.parse({
      ticker,
      series: `S${n % 100}`,
      event_ticker: `E${n % 1_000}`,
      title: `Title ${n}`,
    });
    return [subjects.market(ticker), event('MarketRecorded', { ticker }, state)];
  },
  EVT_EXPORT: (n: number): PublishedEvent => {
    const [account, id] = [`a${n % 100}`, `e${n}`];
    const requested = {
      question: query(n),
      grant: 'plan',
      file_key: hashOf(n),
      filename: `${id}.csv`,
      requested_us: 1,
    };
    const file = storedFile(n);
    const state = exportState.parse({ status: 'ready', id, account, ...requested, file, ready_us: 2 });
    return [subjects.export(account, id), event('ExportReady', { ...file, ready_us: 2 }, state)];
  },
  EVT_FILE: (n: number): PublishedEvent => {
    const key = hashOf(n);
    const file = storedFile(n);
    const state = fileState.parse({ key, status: 'ready', question: query(n), file, error: null, requested_us: 1 });
    return [subjects.file(key), event('FileReady', file, state)];
  },
} satisfies Partial<Record<StreamName, (n: number) => PublishedEvent>>;
export type PublishedStream = keyof typeof eventOf;

const hashOf = (n: number): string => createHash('sha256').update(String(n)).digest('hex');

const query = (n: number) => ({
  event: null,
  ticker: `M${n}`,
  series: null,
  day: null,
  streams: ['snapshots'],
  format: 'csv',
  numbers: 'float',
});

const storedFile = (n: number) => ({
  storage_key: `files/${hashOf(n)}`,
  bytes: 1,
  row_count: 1,
  markets: 1,
  sha256: hashOf(n),
});
