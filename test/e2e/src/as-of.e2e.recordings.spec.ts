import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it as test } from 'node:test';
import { connectBus, rpcClient } from '@almanac/bus';
import { type CatalogueFact, catalogRpc, datedFields, type KnownValues, knowledgeBases } from '@almanac/contracts';
import { recording, seededRandom, testNumber } from '@almanac/testing';
// The importer into memory, to see the facts that it makes of real files.
import { importPaths } from '../../../services/ingest/dist/import/testing/import-files.js';
import { memoryArchive } from '../../../services/ingest/dist/import/testing/memory-archive.js';
import type { ApiClient } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';

const settlements = recording('data/kalshi-settlements');
const rules = recording('data/kalshi-rules');
const rest = recording('data/kalshi-rest');
const skip = settlements.skip || rules.skip || rest.skip;
const paths = [
  join(settlements.path, 'settlement_ledger_2026-07-17.jsonl.gz'),
  join(settlements.path, 'settlement_ledger_2026-07-22.jsonl.gz'),
  join(rules.path, 'events.json.gz'),
  ...['market_single', 'markets_list', 'event_single'].map((name) => join(rest.path, `${name}.json`)),
];

type MarketFact = Extract<CatalogueFact, { kind: 'market' }>;

const marketsMax = 150;
const timesPerMarket = 3;
const seriesMax = 12;
const listed = ['series', 'event_ticker', 'category', 'category_label', 'strike_type'] as const;

const factsOfFiles = async (): Promise<readonly MarketFact[]> => {
  const into = memoryArchive();
  const facts: MarketFact[] = [];
  const archive = {
    ...into.archive,
    recordCatalogue: (given: readonly CatalogueFact[]) => {
      for (const fact of given) if (fact.kind === 'market') facts.push(fact);
      return into.archive.recordCatalogue(given);
    },
  };
  await importPaths(paths, { into: { ...into, archive } });
  return facts;
};

/** The knowledge time of each value: of the best basis, then the earliest. */
const knownTimes = (facts: readonly MarketFact[]): ReadonlyMap<string, number> => {
  const best = new Map<string, readonly [rank: number, us: number]>();
  for (const { known_us: us, basis, values } of facts.flatMap(({ history = [] }) => history)) {
    if (us === null || basis === null) continue;
    const rank = knowledgeBases.indexOf(basis);
    for (const [field, value] of Object.entries(values)) {
      const [bestRank, bestUs] = best.get(`${field} ${value}`) ?? [Infinity, Infinity];
      if (rank < bestRank || (rank === bestRank && us < bestUs)) best.set(`${field} ${value}`, [rank, us]);
    }
  }
  return new Map([...best].map(([key, [, us]]) => [key, us]));
};

/** What the facts say of values that were known by a time, under other ids. */
const knownBy = (facts: readonly MarketFact[], asOfUs: number, suffix: string): readonly MarketFact[] => {
  const times = knownTimes(facts);
  const isKnown = (field: string, value: unknown): boolean =>
    (times.get(`${field} ${String(value)}`) ?? Infinity) <= asOfUs;
  return facts.flatMap((fact): MarketFact[] => {
    const history = (fact.history ?? []).flatMap(({ values, ...known }): KnownValues[] => {
      const left = Object.entries(values).filter(([field, value]) => isKnown(field, value));
      return left.length === 0 ? [] : [{ ...known, values: Object.fromEntries(left) }];
    });
    if (history.length === 0) return [];
    const stated = datedFields.flatMap((field) => {
      const value = field === 'rules' || field === 'tick_size' ? null : (fact[field] ?? null);
      return value === null || !isKnown(field, value) ? [] : [[field, value] as const];
    });
    const fixed = Object.fromEntries(listed.map((name) => [name, fact[name] ?? null]));
    const under = (id: string | null | undefined): string | null => (id ? id + suffix : null);
    const ids = { ticker: fact.ticker + suffix, event_ticker: under(fact.event_ticker), series: under(fact.series) };
    return [{ kind: 'market', ...fixed, ...ids, ...Object.fromEntries(stated), history }];
  });
};

describe('real markets as of a time', () => {
  const it = (guarantee: string, run: () => Promise<void>): void => void test(guarantee, { skip }, run);
  let running: SystemHarness;
  let api: ApiClient;

  if (skip === false) {
    before(async () => {
      running = await startHarness();
      api = await running.client('internal');
    });
    after(() => running.stop());
  }

  const record = async (facts: readonly MarketFact[]): Promise<void> => {
    const { infrastructure, secrets } = running.system;
    const bus = await connectBus({ url: infrastructure.natsUrl, user: 'ingest', password: secrets.nats.ingest });
    const rpc = rpcClient(bus);
    const context = { requestId: 'test' };
    let seq = 0;
    for (let at = 0; at < facts.length; at += 500) {
      const input = { facts: facts.slice(at, at + 500) };
      seq = Math.max(seq, (await rpc.call(catalogRpc.record, { input, context })).last_seq);
    }
    await rpc.call(catalogRpc.awaitReadable, { input: { seq }, context });
    await bus.close();
  };

  /** Without the suffix of a twin. The cursor begins with a hash of the listing. */
  const plainOf = (body: Buffer, suffix: string): string =>
    body
      .toString()
      .replaceAll(suffix, '')
      .replace(/"request_id":"[^"]*"/, '')
      .replace(/"next_cursor":"[^"]*"/, '"next_cursor":"…"');

  it('are the same to the byte as in an archive that got only what was known by then', async () => {
    const random = seededRandom(testNumber('seed', 17));
    const byTicker = Map.groupBy(await factsOfFiles(), ({ ticker }) => ticker);
    const sample = [...byTicker]
      .map((entry) => ({ entry, place: random() }))
      .toSorted((a, b) => a.place - b.place)
      .slice(0, marketsMax)
      .map(({ entry }) => entry);
    await record(sample.flatMap(([, facts]) => facts));
    const pairs = sample.flatMap(([ticker, facts]) => {
      const times = [...knownTimes(facts).values()];
      return Array.from({ length: timesPerMarket }, (_, index) => {
        const edgeUs = times[Math.floor(random() * times.length)] ?? 0;
        return { ticker, facts, suffix: `-BY${index}`, asOf: Math.floor(edgeUs / 1e6) + Math.floor(random() * 3) - 1 };
      });
    });
    await record(pairs.flatMap(({ facts, asOf, suffix }) => knownBy(facts, asOf * 1_000_000, suffix)));
    const bodies: string[] = [];
    for (const { ticker, asOf, suffix } of pairs) {
      const [whole, twin] = [
        await api.send(`/markets/${ticker}?as_of=${asOf}`),
        await api.send(`/markets/${ticker}${suffix}?as_of=${asOf}`),
      ];
      const body = plainOf(whole.bytes, suffix);
      assert.equal(body, plainOf(twin.bytes, suffix), `${ticker} as of ${asOf}`);
      if (whole.status === 200) bodies.push(body);
    }
    assert.ok(bodies.length > marketsMax, `only ${bodies.length} answers were about known markets`);
    assert.ok(bodies.length < pairs.length, 'no time was before a market was known');
    assert.ok(bodies.some((body) => /"result":"(yes|no)"/.test(body)));
  });

  it('are listed as in an archive that got only what was known by then', async () => {
    const random = seededRandom(testNumber('seed', 18));
    const all = await factsOfFiles();
    const ids = [...new Set(all.flatMap(({ series }) => series ?? []))]
      .map((id) => ({ id, place: random() }))
      .toSorted((a, b) => a.place - b.place)
      .slice(0, seriesMax)
      .map(({ id }) => id);
    const tickers = new Set(all.flatMap(({ ticker, series }) => (ids.includes(series ?? '') ? ticker : [])));
    const facts = all.filter(({ ticker }) => tickers.has(ticker));
    const known = [...knownTimes(facts).values()].toSorted((a, b) => a - b);
    await record(facts);
    let shown = 0;
    for (const share of [0.3, 0.6, 0.9]) {
      const asOf = Math.floor((known[Math.floor(known.length * share)] ?? 0) / 1e6) + 1;
      const suffix = `-AT${asOf}`;
      const byTicker = Map.groupBy(facts, ({ ticker }) => ticker);
      await record([...byTicker.values()].flatMap((own) => knownBy(own, asOf * 1_000_000, suffix)));
      for (const id of ids) {
        for (const filter of [
          'days=7&limit=200',
          'status=finalized&limit=50',
          'status=live',
          `to_ts=${asOf}&limit=20`,
        ]) {
          const path = (series: string): string => `/markets?series=${series}&${filter}&as_of=${asOf}`;
          const [whole, twin] = [await api.send(path(id)), await api.send(path(id + suffix))];
          const body = plainOf(whole.bytes, suffix);
          assert.equal(body, plainOf(twin.bytes, suffix), `${id} ${filter} as of ${asOf}`);
          if (!body.includes('"count":0')) shown += 1;
        }
      }
    }
    assert.ok(shown > 10, `only ${shown} lists had markets`);
  });
});
