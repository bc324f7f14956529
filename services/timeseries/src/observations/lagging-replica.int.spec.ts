import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Bus, subjects } from '@almanac/bus';
import { archiveState, timeseriesRpc } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { consistencySettings, eventually, type LaggingReplica, testReplicas } from '@almanac/testing';
import type { Callers, TimeseriesFixture } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const second = 1_000_000;
const openUs = 1_771_992_900 * second;
const rounds = 3;
const rowsOfRound = 5;
const marketsMax = 20;
/** No row is later. */
const endTs = openUs / 1e6 + rounds * rowsOfRound;

/** A read of a market. `rows` are those that its answer knows of. */
interface Answer {
  readonly kind: string;
  /** Undefined: the answer names none, so it must have what was stored before the request. */
  readonly version: number | undefined;
  readonly rows: number;
}

/** The observations of a test are one second apart, so a time says how many there are up to it. */
const rowsUpTo = (ts: number | null | undefined): number =>
  ts === null || ts === undefined ? 0 : Math.round(ts - openUs / 1e6) + 1;

describe('reads while a replica of ClickHouse lags', { timeout: 240_000 }, () => {
  let replica: LaggingReplica;
  let tested: TimeseriesHarness;
  let fixture: TimeseriesFixture;
  let callers: Callers;
  let catalog: Bus;
  before(async () => {
    const startClickHouse = async (options: Parameters<typeof testReplicas>[0]) => {
      const server = await testReplicas(options);
      replica = server;
      return server;
    };
    tested = await startHarness({ startClickHouse });
    ({ fixture, callers } = tested);
    catalog = await tested.busOf('catalog');
  });
  after(() => tested.stop());

  const versionOf = async (ticker: string): Promise<number> =>
    (await jetStreamStore(catalog).load(subjects.archive(ticker), archiveState))?.state.version ?? 0;

  const askAll = (ticker: string): Promise<Answer[]> =>
    Promise.all([
      callers.snapshots({ ticker, step_ms: 0, limit: 1_000 }).then(({ body, meta }) => {
        return { kind: 'snapshots', version: meta.version, rows: body.snapshots.length };
      }),
      callers.bytes(timeseriesRpc.snapshots, { ticker, step_ms: 0, format: 'csv', whole: true }).then((reply) => {
        const lines = reply.bytes.toString().split('\r\n').length - 2;
        return { kind: 'whole', version: reply.meta.version, rows: lines };
      }),
      callers.read(timeseriesRpc.book, { ticker, at_ts: endTs }, { plan: 'full_book' }).then((reply) => {
        return { kind: 'book', version: reply.meta.version, rows: rowsUpTo(reply.body.ts) };
      }),
      callers.read(timeseriesRpc.marketsAt, { tickers: [ticker], at_ts: [endTs] }).then((reply) => {
        return { kind: 'markets/at', version: undefined, rows: rowsUpTo(reply.body.snapshots[0]?.ts) };
      }),
      callers.preview(ticker).then(({ body, meta }) => {
        return { kind: 'preview', version: meta.version, rows: body.pending ? Infinity : body.matched };
      }),
    ]);

  /** Stores rows of a new market in rounds, and reads it before, during and after each. Returns what was too short. */
  const shortAnswers = async (roundsOfTest: number): Promise<string[]> => {
    const ticker = `KXLAG-${randomUUID()}`;
    await fixture.market({ ticker, series: 'S', event_ticker: 'E', open_us: openUs, close_us: openUs + 900 * second });
    await callers.spans(ticker, [[openUs - second, openUs + 900 * second]]);
    const rowsOf = new Map<number, number>([[await versionOf(ticker), 0]]);
    const answers: (Answer & { storedBefore: number })[] = [];
    const ask = async (stored: number): Promise<void> => {
      for (const answer of await askAll(ticker)) answers.push({ ...answer, storedBefore: stored });
    };
    for (let round = 0; round < roundsOfTest; round += 1) {
      const first = round * rowsOfRound;
      // In every third round, the replica becomes up to date while reads run.
      if (round % 3 === 2) await Promise.all([ask(first), replica.catchUp()]);
      else await ask(first);
      replica.lag();
      const book = { yes: '[(0.5,10)]', no: '[(0.4,5)]' };
      const observations = Array.from({ length: rowsOfRound }, (_, n) => ({ us: openUs + (first + n) * second, book }));
      await Promise.all([callers.store(ticker, observations), ask(first)]);
      rowsOf.set(await versionOf(ticker), first + rowsOfRound);
      await Promise.all([ask(first + rowsOfRound), ask(first + rowsOfRound)]);
    }
    await replica.catchUp();
    const promised = ({ version, storedBefore }: (typeof answers)[number]): number =>
      version === undefined
        ? storedBefore
        : Math.max(...[...rowsOf].map(([known, rows]) => (known <= version ? rows : 0)));
    return answers
      .filter((answer) => answer.rows < promised(answer))
      .map((answer) => `${answer.kind} of version ${answer.version}: ${answer.rows} of ${promised(answer)} rows`);
  };

  it('have every row of their data version', async () => {
    replica.ignore([]);
    replica.reads();
    assert.deepEqual(await shortAnswers(rounds), []);
    const total = { lagging: 0, refused: 0, upToDate: 0 };
    // A preview may be read in the background.
    await eventually(async () => {
      const { lagging, refused, upToDate } = replica.reads();
      total.lagging += lagging;
      total.refused += refused;
      total.upToDate += upToDate;
      assert.equal(total.upToDate, total.refused, 'every refused read asked another replica');
    });
    assert.ok(total.lagging > rounds && total.refused > rounds, JSON.stringify(total));
  });

  for (const setting of consistencySettings) {
    it(`would be short without ${setting}`, async () => {
      replica.ignore([setting]);
      // An answer that does not know the last rows yet is not short. A preview may be pending all the time.
      const unseen = new Set(['snapshots', 'whole', 'book', 'markets/at']);
      for (let market = 0; market < marketsMax && unseen.size > 0; market += 1) {
        const short = await shortAnswers(1);
        for (const kind of unseen) if (short.some((sentence) => sentence.startsWith(kind))) unseen.delete(kind);
      }
      assert.deepEqual([...unseen], [], 'were never short');
    });
  }
});
