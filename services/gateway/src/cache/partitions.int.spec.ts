import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { endOf, partitionOf, Reply, type StreamPosition, subjects } from '@almanac/bus';
import { catalogRpc, type ReplyMeta, timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { nameOf } from '../testing/service-stubs.js';
import { startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';

const partitions = 4;

let system: TestSystem;
const steady = steadyIn(() => system);
let key: TestKey;
before(async () => {
  system = await startSystem({ NATS_PARTITIONS: String(partitions), CACHE_FROM_REQUEST: '1' });
  key = system.edge.keys.createKey('internal');
});
after(() => system.stop());

describe('cached details of markets over four partitions of EVT_CATALOG', () => {
  /** The end of EVT_CATALOG, which the catalog service of this test has received. */
  let received: StreamPosition = [];
  let markets = 0;
  const calls = new Map<string, number>();
  const metas = new Map<string, ReplyMeta>();
  before(async () => {
    received = await endOf(system.edge.bus, 'EVT_CATALOG');
    system.edge.handlers.set(nameOf(catalogRpc.marketDetail), answer);
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), answer);
    await eventually(async () => assert.ok(await isCached(market())));
  });

  const answer = (input: unknown) => {
    const { ticker } = timeseriesRpc.preview.input.parse(input);
    const call = (calls.get(ticker) ?? 0) + 1;
    calls.set(ticker, call);
    const subjectsOf = [subjects.market(ticker), subjects.series('RAIN')];
    const catalogue = { subjects: subjectsOf, position: received };
    return Reply.json(
      { ticker, call },
      { ticker, version: 1, digest: `${ticker}-${call}`, catalogue, ...metas.get(ticker) },
    );
  };
  /** A new market of the series RAIN. */
  const market = (meta: ReplyMeta = {}): string => {
    markets += 1;
    metas.set(`T${markets}.5`, meta);
    return `T${markets}.5`;
  };
  const request = async (ticker: string, rest = '', headers: Record<string, string> = {}) =>
    system.request(`/markets/${ticker}${rest}`, key, { headers });
  const callOf = async (ticker: string, rest = ''): Promise<number> => {
    const response = await request(ticker, rest);
    assert.equal(response.status, 200);
    return ((await response.json()) as { call: number }).call;
  };
  const isCached = async (ticker: string, rest = ''): Promise<boolean> =>
    (await callOf(ticker, rest)) === (await callOf(ticker, rest));
  /** A market in the partition of a subject. */
  const markerIn = (subject: string): string => {
    const partition = (of: string): number => partitionOf({ partitions }, 'EVT_CATALOG', of);
    for (let n = 0; ; n += 1) if (partition(subjects.market(`SEEN-${n}`)) === partition(subject)) return `SEEN-${n}`;
  };
  /** Returns when the gateway has the event, which a cached market of another series shows. */
  const changed = async (subject: string): Promise<void> => {
    const append = async (changedSubject: string): Promise<void> => {
      await system.edge.append(changedSubject, {});
      received = await endOf(system.edge.bus, 'EVT_CATALOG');
    };
    await append(subject);
    const marker = subjects.market(markerIn(subject));
    const ticker = market({ catalogue: { subjects: [marker], position: received } });
    assert.ok(await isCached(ticker));
    await append(marker);
    await eventually(async () => assert.equal(await callOf(ticker), 2));
  };

  steady('are the bytes of the service, requested once, with an ETag of the bytes', async () => {
    const ticker = market();
    const first = await request(ticker);
    const [etag, text] = [first.headers.get('etag') ?? '', await first.text()];
    assert.equal(etag, `"${ticker}-1"`);
    const second = await request(ticker);
    assert.deepEqual([second.headers.get('etag'), await second.text()], [etag, text]);
    assert.equal(second.headers.get('cache-control'), 'private, must-revalidate');
    assert.equal((await request(ticker, '', { 'if-none-match': etag })).status, 304);
    assert.equal(calls.get(ticker), 1);
  });
  steady('end with an event of the market or of its series, and only with these', async () => {
    const [ticker, other] = [market(), market()];
    assert.deepEqual([await callOf(ticker), await callOf(other)], [1, 1]);
    await changed(subjects.market(ticker));
    assert.deepEqual([await callOf(ticker), await callOf(other)], [2, 1]);
    await changed(subjects.series('SNOW'));
    await changed(subjects.event('E'));
    assert.deepEqual([await callOf(ticker), await callOf(other)], [2, 1]);
    await changed(subjects.series('RAIN'));
    assert.deepEqual([await callOf(ticker), await callOf(other)], [3, 2]);
  });
  steady('exclude an answer of a service that has not received what the gateway had before the request', async () => {
    await changed(subjects.event('E'));
    const late = market({ catalogue: { subjects: [], position: received.map((seq) => seq - 1) } });
    assert.ok(!(await isCached(late)));
    assert.ok(await isCached(market()));
  });
  steady('exclude an answer whose market or series changed during the request', async () => {
    for (const subject of ['market', 'series'] as const) {
      const ticker = market();
      const arrived = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      system.edge.handlers.set(nameOf(catalogRpc.marketDetail), async (input) => {
        const made = answer(input);
        arrived.resolve();
        await released.promise;
        return made;
      });
      const pending = callOf(ticker);
      await arrived.promise;
      system.edge.handlers.set(nameOf(catalogRpc.marketDetail), answer);
      await changed(subject === 'market' ? subjects.market(ticker) : subjects.series('RAIN'));
      released.resolve();
      assert.equal(await pending, 1);
      assert.deepEqual([await callOf(ticker), await callOf(ticker)], [2, 2], subject);
    }
  });
  steady('are not used while EVT_CATALOG arrives late, which other cached answers do not notice', async () => {
    const ticker = market();
    const reached = { archive: 0, commerce: 0, catalog: received };
    for (const catalog of [received.with(partitions - 1, 1_000_000), undefined]) {
      system.edge.keys.reportPositions(reached);
      await eventually(async () => assert.ok(await isCached(ticker)));
      system.edge.keys.reportPositions({ ...reached, catalog });
      await eventually(async () => assert.ok(!(await isCached(ticker))));
      assert.ok(await isCached(market(), '/snapshots'));
    }
    system.edge.keys.reportPositions(reached);
    await eventually(async () => assert.ok(await isCached(ticker)));
  });
  steady('start with the second request by default, and the first has the same ETag', async () => {
    const careful = await system.another({ CACHE_FROM_REQUEST: '2' });
    await eventually(async () => {
      const ticker = market({ digest: 'same' });
      const tags = new Set<string | null>();
      for (let time = 1; time <= 4; time += 1) {
        const response = await careful.request(`/markets/${ticker}`, key);
        tags.add(response.headers.get('etag'));
      }
      assert.deepEqual([...tags], ['"same"']);
      assert.equal(calls.get(ticker), 2);
    });
  });
  steady('exclude answers of an older release of the service, which have no ETag', async () => {
    const ticker = market();
    system.edge.handlers.set(nameOf(catalogRpc.marketDetail), () => {
      calls.set(ticker, (calls.get(ticker) ?? 0) + 1);
      return Reply.json({ call: calls.get(ticker) }, { ticker });
    });
    assert.ok(!(await isCached(ticker)));
    const response = await request(ticker);
    assert.deepEqual(
      [response.headers.get('etag'), response.headers.get('cache-control')],
      [null, 'private, no-store'],
    );
    system.edge.handlers.set(nameOf(catalogRpc.marketDetail), answer);
  });
});

const tickers = Array.from({ length: 12 }, (_, n) => `PARTITIONED-${n}`);

describe('cached responses over four partitions of EVT_ARCHIVE', () => {
  const calls = new Map<string, number>();
  const versions = new Map<string, number>();
  before(() => {
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), (input) => {
      const { ticker } = timeseriesRpc.preview.input.parse(input);
      calls.set(ticker, (calls.get(ticker) ?? 0) + 1);
      return Reply.json({ ticker }, { ticker, version: versions.get(ticker) ?? 1 });
    });
  });

  const read = async (ticker: string): Promise<void> => {
    const response = await system.request(`/markets/${ticker}/snapshots`, key);
    assert.equal(response.status, 200, await response.text());
  };
  const isCached = async (ticker: string): Promise<boolean> => {
    const earlier = calls.get(ticker) ?? 0;
    for (let n = 0; n < 2; n += 1) await read(ticker);
    return (calls.get(ticker) ?? 0) - earlier < 2;
  };

  steady('are invalidated by a change in every partition', async () => {
    const used = new Set(tickers.map((ticker) => partitionOf({ partitions }, 'EVT_ARCHIVE', subjects.archive(ticker))));
    assert.equal(used.size, partitions);
    for (const ticker of tickers) {
      await eventually(async () => assert.ok(await isCached(ticker)));
      const earlier = calls.get(ticker) ?? 0;
      versions.set(ticker, 2);
      await system.edge.append(subjects.archive(ticker), { ticker, version: 2, min_us: null, max_us: null });
      await eventually(async () => {
        await read(ticker);
        assert.ok((calls.get(ticker) ?? 0) > earlier);
      });
    }
  });

  steady('are not used while one partition arrives late', async () => {
    const [ticker = ''] = tickers;
    for (let late = 0; late < partitions; late += 1) {
      system.edge.keys.reportPositions({ commerce: 0, archive: [0, 0, 0, 0] });
      await eventually(async () => assert.ok(await isCached(ticker)));
      // Stands in for a consumer that stalls: the leader of a partition has a message that this gateway does not get.
      system.edge.keys.reportPositions({ commerce: 0, archive: [0, 0, 0, 0].with(late, 1_000_000) });
      await eventually(async () => assert.ok(!(await isCached(ticker))));
    }
  });
});
