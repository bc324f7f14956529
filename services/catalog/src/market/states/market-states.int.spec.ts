import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureStream, type EventMessage, follow, subjects } from '@almanac/bus';
import { type MarketState, marketState, readTimeOf, type StoredEvent } from '@almanac/contracts';
import { type EventStore, jetStreamStore } from '@almanac/event-store';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { marketDetail } from '../market-detail.query.js';
import { type MarketStates, marketStates } from './market-states.js';
import { openMarketStateFile, type MarketStateFile } from './market-state-file.js';

const draw = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Unusual ids: a quote, a NUL, letters of two code units, and two that differ only in case. */
const tickers = [
  `it's "q"`,
  'nul\0',
  '東京',
  '\u{1F600}',
  'T-a',
  'T-A',
  ...Array.from({ length: 14 }, (_, n) => `T-${n}`),
];

/** One process with its own consumer, its own file, and its answers. */
interface Process {
  readonly states: MarketStates;
  readonly disk: MarketStateFile;
  /** For each market the last received event and the newest answer. */
  readonly expectedStates: Map<string, number>;
  /** Delivers this many more events. */
  publishEvents(count: number): void;
  end(): Promise<void>;
}

describe('cached market states', () => {
  let nats: TestNats;
  let bus: AdminBus;
  let store: EventStore;
  let folder: string;
  const running = new Set<Process>();
  /** The sequences in the stream. */
  let recorded: Map<string, number>;

  before(async () => {
    nats = await testNats();
    bus = await connectBus({ url: nats.url, user: 'catalog' });
    store = jetStreamStore(bus);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-states-'));
    await ensureStream(bus, 'EVT_CATALOG');
    recorded = new Map();
  });
  afterEach(async () => {
    for (const process of running) await process.end();
    await bus.jsm.streams.delete('EVT_CATALOG');
    await rm(folder, { recursive: true });
  });
  after(async () => {
    await bus.close();
    await nats.stop();
  });

  const record = async (ticker: string, title: string): Promise<void> => {
    const state = marketState.parse({ ticker, title });
    const event: StoredEvent<typeof state> = {
      id: randomUUID(),
      version: 1,
      time: 0,
      account: null,
      type: 'MarketRecorded',
      data: {},
      state,
    };
    const { seq } = await store.append(subjects.market(ticker), event, recorded.get(ticker) ?? 0);
    recorded.set(ticker, seq);
  };

  const start = async ({
    in: own = folder,
    from = store,
    isLate = false,
    meanwhile = async () => {},
  } = {}): Promise<Process> => {
    const disk = openMarketStateFile(own);
    const fail = (error: unknown): void => assert.fail(String(error));
    const log = { error: (facts: object, message: string) => assert.fail(`${message}: ${JSON.stringify(facts)}`) };
    const states = marketStates({ bus, store: from, disk, log, onUnreadable: fail });
    const expectedStates = new Map<string, number>();
    const arrived: EventMessage<MarketState>[] = [];
    const publishEvents = (count: number): void => {
      for (const message of arrived.splice(0, count)) {
        states.apply(message);
        const { ticker } = message.event.state;
        expectedStates.set(ticker, Math.max(expectedStates.get(ticker) ?? 0, message.seq));
      }
    };
    const following = await follow(bus, {
      stream: 'EVT_CATALOG',
      from: 'new',
      state: marketState,
      onUnreadable: fail,
      onEvent: (message) => {
        arrived.push(message);
        if (!isLate) publishEvents(1);
      },
    });
    const process: Process = {
      states,
      disk,
      expectedStates,
      publishEvents,
      end: async () => {
        running.delete(process);
        await following.stop();
        await states.stop();
      },
    };
    running.add(process);
    await meanwhile();
    states.read();
    return process;
  };

  /** An answer is never older than a received event or an earlier answer, and it equals what was recorded. */
  const readState = async ({ states, expectedStates }: Process, ticker: string): Promise<number> => {
    const atLeast = expectedStates.get(ticker) ?? 0;
    const known = await states.get(ticker);
    const seq = known?.seq ?? 0;
    assert.ok(seq >= atLeast, `${ticker} is of ${seq} and was of ${atLeast}`);
    if (known !== undefined) assert.equal(known.state.ticker, ticker);
    expectedStates.set(ticker, Math.max(expectedStates.get(ticker) ?? 0, seq));
    return seq;
  };
  const untilComplete = (process: Process) => eventually(() => assert.equal(process.states.state(), null));
  /** A store that fails on each read, so no answer comes from the stream. */
  const deaf: EventStore = {
    load: () => assert.fail('the stream was read'),
    confirmed: () => assert.fail('the stream was read'),
    loadToShow: () => assert.fail('the stream was read'),
    append: () => assert.fail('nothing is appended'),
  };

  it(
    'never go back, whatever is recorded and queried while processes stop and start',
    { timeout: 240_000 },
    async () => {
      const random = draw(20261121);
      const any = <T>(some: readonly T[]): T => some[random(some.length)] as T;
      for (let n = 0; n < 500; n += 1) await record(any(tickers), `before ${n}`);
      const processes = [await start({ isLate: true }), await start({ isLate: true })];
      for (let step = 0; step < 200; step += 1) {
        const place = random(processes.length);
        const process = processes[place] as Process;
        const what = random(40);
        process.publishEvents(random(20));
        if (what === 0) {
          await process.end();
          // Sometimes on the earlier disk, sometimes on an empty one.
          const own = random(2) === 0 ? folder : await mkdtemp(join(folder, 'new-'));
          const meanwhile = async (): Promise<void> => {
            for (let n = 0; n < 60; n += 1) await record(any(tickers), `meanwhile ${n}`);
          };
          const next = await start({ in: own, isLate: true, meanwhile });
          processes[place] = next;
          if (random(2) === 0) await untilComplete(next);
        } else if (what < 14) {
          const some = Array.from({ length: 1 + random(20) }, () => any(tickers));
          const writing = (async () => {
            for (const ticker of some) await record(ticker, `step ${step}`);
          })();
          for (let n = 0; n < 20; n += 1) await readState(any(processes), any(tickers));
          await writing;
        } else {
          await readState(process, any(tickers));
        }
      }
      for (const process of processes) {
        await untilComplete(process);
        await eventually(async () => {
          process.publishEvents(Number.POSITIVE_INFINITY);
          for (const ticker of tickers) assert.equal(await readState(process, ticker), recorded.get(ticker) ?? 0);
        });
      }
    },
  );

  it('come from a replica while the stream has no leader, and no gateway caches such an answer', async () => {
    await record('T-0', 'one');
    const leaderless: EventStore = {
      ...deaf,
      load: () => new Promise(() => undefined),
      loadToShow: async (subject, state) => {
        const shown = await store.loadToShow(subject, state);
        return shown && { ...shown, fromReplica: true };
      },
    };
    const detailFrom = async (from: EventStore) => {
      const log = { error: () => assert.fail() };
      const markets = marketStates({ bus, store: from, disk: undefined, log, onUnreadable: () => assert.fail() });
      const deps = { markets, series: new Map(), changes: { position: [1] } };
      const { bytes, meta } = await marketDetail(deps, 'T-0', readTimeOf(null));
      assert.match(Buffer.from(bytes).toString(), /"title":"one"/);
      return meta.catalogue?.position;
    };
    assert.deepEqual([await detailFrom(store), await detailFrom(leaderless)], [[1], undefined]);
  });

  it('come from the disk alone once it is complete, even for facts recorded while no process ran', async () => {
    for (const ticker of tickers) await record(ticker, 'one');
    const first = await start();
    await untilComplete(first);
    await first.end();
    for (const ticker of tickers.slice(5)) await record(ticker, 'two');
    const second = await start({ from: deaf });
    await untilComplete(second);
    for (const ticker of tickers) assert.equal((await second.states.get(ticker))?.seq, recorded.get(ticker));
    assert.equal(await second.states.get('unknown'), undefined);
    await record('T-0', 'three');
    await eventually(async () => assert.equal((await second.states.get('T-0'))?.state.title, 'three'));
    assert.deepEqual(await readdir(folder).then((files) => files.filter((file) => file.endsWith('.sqlite'))), [
      'markets-1.sqlite',
    ]);
  });

  it('are read again when the stream is another one, or was restored from a backup', async () => {
    for (const ticker of tickers) await record(ticker, 'of the first');
    const first = await start();
    await untilComplete(first);
    await first.end();
    for (const length of [tickers.length - 5, tickers.length + 5]) {
      await bus.jsm.streams.delete('EVT_CATALOG');
      await ensureStream(bus, 'EVT_CATALOG');
      recorded = new Map();
      for (let n = 0; n < length; n += 1) await record(`T-${n}`, 'of the second');
      const next = await start({ from: deaf });
      await untilComplete(next);
      assert.equal(await next.states.get('T-a'), undefined);
      assert.equal((await next.states.get('T-1'))?.state.title, 'of the second');
      await next.end();
    }
  });

  it('are in one file for each process, and the next process takes over the file of one that ended', async () => {
    await record('T-0', 'one');
    const [first, second] = [await start(), await start()];
    const names = async () => (await readdir(folder)).filter((name) => name.endsWith('.sqlite')).toSorted();
    assert.deepEqual(await names(), ['markets-1.sqlite', 'markets-2.sqlite']);
    await Promise.all([untilComplete(first), untilComplete(second)]);
    await first.end();
    const third = await start({ from: deaf });
    await untilComplete(third);
    assert.equal((await third.states.get('T-0'))?.state.title, 'one');
    assert.deepEqual(await names(), ['markets-1.sqlite', 'markets-2.sqlite']);
  });

  it('are built again when the file is not a database', async () => {
    await writeFile(join(folder, 'markets-1.sqlite'), 'this is no database'.repeat(1_000));
    await record('T-0', 'one');
    const process = await start({ from: deaf });
    await untilComplete(process);
    assert.equal((await process.states.get('T-0'))?.state.title, 'one');
  });

  for (const use of ['read', 'written']) {
    it(`come from the stream once the file cannot be ${use}`, async () => {
      await record('T-0', 'one');
      const logged: string[] = [];
      const disk: MarketStateFile = openMarketStateFile(folder);
      const log = { error: (_fields: object, message: string) => void logged.push(message) };
      const states = marketStates({ bus, store, disk, log, onUnreadable: (error) => assert.fail(String(error)) });
      states.read();
      await eventually(() => assert.equal(states.state(), null));
      disk.close();
      if (use === 'written') {
        const state = marketState.parse({ ticker: 'T-0', title: 'two' });
        const event = { id: '', version: 1, time: 0, account: null, type: 'MarketRecorded', data: {}, state } as const;
        states.apply({ subject: '', seq: 2, event });
        await eventually(() => assert.equal(states.state(), 'each market is read from the stream'));
      }
      assert.equal((await states.get('T-0'))?.state.title, 'one');
      assert.equal(states.state(), 'each market is read from the stream');
      assert.equal(logged.length, 1);
    });
  }
});
