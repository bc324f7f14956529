import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { Reply, subjects } from '@almanac/bus';
import { type ReplyMeta, timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { nameOf } from '../testing/service-stubs.js';
import { startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';

const snapshots = nameOf(timeseriesRpc.snapshots);

describe('cached responses', () => {
  let system: TestSystem;
  const steady = steadyIn(() => system);
  let key: { account: string; id: string; text: string };
  let markets = 0;
  before(async () => {
    system = await startSystem({ CACHE_MB: '64', CACHE_FROM_REQUEST: '1' });
    key = system.edge.keys.createKey();
    for (const contract of [timeseriesRpc.snapshots, timeseriesRpc.preview]) {
      system.edge.handlers.set(nameOf(contract), answer);
    }
    await heartbeatArrived();
  });
  after(() => system.stop());

  const calls = new Map<string, number>();
  /** A new market whose answers have this metadata. */
  const market = (meta: ReplyMeta, pad = ''): string => {
    markets += 1;
    const ticker = `T${markets}.5`;
    metas.set(ticker, { ticker, version: 1, ...meta });
    pads.set(ticker, pad);
    return ticker;
  };
  const metas = new Map<string, ReplyMeta>();
  const pads = new Map<string, string>();
  const answer = (input: unknown) => {
    const { ticker } = timeseriesRpc.preview.input.parse(input);
    const call = (calls.get(ticker) ?? 0) + 1;
    calls.set(ticker, call);
    return Reply.json({ ticker, call, pad: pads.get(ticker) }, metas.get(ticker));
  };
  const request = (ticker: string, rest = '/snapshots', headers: Record<string, string> = {}, who = key) =>
    system.request(`/markets/${ticker}${rest}`, who, { headers });
  const callOf = async (response: Response) => {
    assert.equal(response.status, 200);
    const { call } = (await response.json()) as { call: number };
    return call;
  };
  const heartbeatArrived = () =>
    eventually(async () => {
      const ticker = market({});
      await request(ticker);
      await request(ticker);
      assert.equal(calls.get(ticker), 1);
    });
  const changed = (ticker: string, version: number) => {
    metas.set(ticker, { ...metas.get(ticker), version });
    return system.edge.append(subjects.archive(ticker), { ticker, version, min_us: null, max_us: null });
  };

  steady('are the bytes of the service, requested once, for snapshots and preview alike', async () => {
    for (const rest of ['/snapshots', '/preview']) {
      const ticker = market({});
      const first = await request(ticker, rest);
      const second = await request(ticker, rest);
      assert.equal(await first.text(), await second.text());
      assert.equal(calls.get(ticker), 1);
      assert.equal(second.headers.get('cache-control'), 'private, must-revalidate');
      assert.equal(second.headers.get('content-type'), 'application/json');
      assert.equal(second.headers.get('etag'), first.headers.get('etag'));
    }
  });
  steady('are not used while EVT_ARCHIVE or EVT_COMMERCE arrives late, although the connection lives', async () => {
    const ticker = market({});
    const unlimited = system.edge.keys.createKey('internal');
    const isCached = async (): Promise<boolean> => {
      const before_ = calls.get(ticker) ?? 0;
      for (let n = 0; n < 2; n += 1) await callOf(await request(ticker, '/snapshots', {}, unlimited));
      return (calls.get(ticker) ?? 0) - before_ < 2;
    };
    const reached = { archive: 0, commerce: 0 };
    for (const stream of ['archive', 'commerce'] as const) {
      system.edge.keys.reportPositions(reached);
      await eventually(async () => assert.ok(await isCached()));
      // Stands in for a consumer that stalls: the leader has a message that this gateway does not get.
      system.edge.keys.reportPositions({ ...reached, [stream]: 1_000_000 });
      await eventually(async () => assert.ok(!(await isCached())));
      system.edge.keys.reportPositions(reached);
      await eventually(async () => assert.ok(await isCached()));
      // The position is no longer reported, as when its leader does not answer.
      system.edge.keys.reportPositions({ ...reached, [stream]: undefined });
      await eventually(async () => assert.ok(!(await isCached())));
    }
    system.edge.keys.reportPositions(reached);
    await eventually(async () => assert.ok(await isCached()));
  });
  steady('are the same for equal queries in any form, and different for other queries and plans', async () => {
    const ticker = market({});
    assert.equal(await callOf(await request(ticker, '/snapshots?limit=10&step_ms=0&x=1')), 1);
    assert.equal(await callOf(await request(ticker, '/snapshots?step_ms=0.0&limit=%2010')), 1);
    assert.equal(await callOf(await request(ticker, '/snapshots?limit=11&step_ms=0')), 2);
    const pro = system.edge.keys.createKey('pro');
    assert.equal(await callOf(await request(ticker, '/snapshots?limit=10&step_ms=0', {}, pro)), 1);
    const full = system.edge.keys.createKey('full_book');
    assert.equal(await callOf(await request(ticker, '/snapshots?limit=10&step_ms=0', {}, full)), 3);
  });
  steady('with books belong to one account, and are invalidated when its purchases change', async () => {
    const ticker = market({});
    const other = system.edge.keys.createKey('pro');
    const books = '/snapshots?include_book=true';
    assert.equal(await callOf(await request(ticker, books)), 1);
    assert.equal(await callOf(await request(ticker, books, {}, other)), 2);
    assert.equal(await callOf(await request(ticker, books)), 1);
    await system.edge.append(subjects.unlock(key.account, 'E'), {}, key.account);
    await eventually(async () => assert.equal(await callOf(await request(ticker, books)), 3));
    assert.equal(await callOf(await request(ticker, books, {}, other)), 2);
  });
  steady('are invalidated when their market changes, on every gateway, and only those of that market', async () => {
    const [ticker, untouched] = [market({}), market({})];
    const second = await system.another();
    for (const gateway of [system, second]) {
      await eventually(async () => {
        const callsBefore = calls.get(ticker) ?? 0;
        await (await gateway.request(`/markets/${ticker}/snapshots`, key)).arrayBuffer();
        assert.equal(calls.get(ticker), callsBefore === 0 ? 1 : callsBefore);
      });
    }
    await request(untouched);
    const callsBefore = calls.get(ticker) ?? 0;
    await changed(ticker, 2);
    for (const gateway of [system, second]) {
      await eventually(async () =>
        assert.ok((await callOf(await gateway.request(`/markets/${ticker}/snapshots`, key))) > callsBefore),
      );
    }
    assert.equal(await callOf(await request(untouched)), 1);
  });
  steady(
    'exclude a response whose market changed during the request, and one older than a received change',
    async () => {
      const ticker = market({});
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      let arrived = (): void => undefined;
      const arrival = new Promise<void>((resolve) => (arrived = resolve));
      system.edge.handlers.set(snapshots, async (input) => {
        const made = answer(input);
        arrived();
        await held;
        return made;
      });
      const pendingResponse = request(ticker);
      await arrival;
      system.edge.handlers.set(snapshots, answer);
      const changeApplied = market({});
      assert.equal(await callOf(await request(changeApplied)), 1);
      await changed(ticker, 2);
      await changed(changeApplied, 2);
      await eventually(async () => assert.equal(await callOf(await request(changeApplied)), 2));
      release();
      assert.equal(await callOf(await pendingResponse), 1);
      assert.equal(await callOf(await request(ticker)), 2);
      assert.equal(await callOf(await request(ticker)), 2);
      // A service that lags behind answers version 2 when 3 is known.
      await changed(changeApplied, 3);
      metas.set(changeApplied, { ticker: changeApplied, version: 2 });
      await eventually(async () => assert.equal(await callOf(await request(changeApplied)), 3));
      assert.equal(await callOf(await request(changeApplied)), 4);
    },
  );
  steady('are served until they expire', async () => {
    const past = market({ freshUntilUs: (Date.now() - 1) * 1_000 });
    assert.deepEqual([await callOf(await request(past)), await callOf(await request(past))], [1, 2]);
    const later = market({ freshUntilUs: (Date.now() + 60_000) * 1_000 });
    assert.deepEqual([await callOf(await request(later)), await callOf(await request(later))], [1, 1]);
    assert.notEqual((await request(past)).headers.get('etag'), (await request(later)).headers.get('etag'));
  });
  steady('about the past keep their ETag when later data arrives, which the version counts', async () => {
    const asOf = 1_771_993_500;
    const ticker = market({});
    let [version, answers] = [1, 0];
    system.edge.handlers.set(snapshots, () => {
      answers += 1;
      return Reply.json({ ticker, rows: [] }, { ticker, version, asOf });
    });
    try {
      const past = (gateway: Pick<TestSystem, 'request'>, headers: Record<string, string> = {}) =>
        gateway.request(`/markets/${ticker}/snapshots?as_of=${asOf}`, key, { headers });
      const tagAt = async (gateway: Pick<TestSystem, 'request'>) => (await past(gateway)).headers.get('etag');
      const etag = await tagAt(system);
      assert.ok(etag !== null);
      assert.equal(await tagAt(await system.another()), etag, 'one of another gateway');
      const elsewhere = await tagAt(await system.another({ SESSION_SECRET: 'b'.repeat(32) }));
      assert.notEqual(elsewhere, etag, 'who knows everything but the secret cannot find what it is a hash of');
      version = 2;
      await changed(ticker, version);
      await eventually(async () => {
        assert.equal((await past(system, { 'if-none-match': etag })).status, 304);
        assert.equal(answers, 4);
      });
      assert.equal(await tagAt(system), etag);
    } finally {
      system.edge.handlers.set(snapshots, answer);
    }
  });
  steady('exclude responses that depend on the time, which have no ETag', async () => {
    const ticker = market({ cacheable: false });
    assert.deepEqual([await callOf(await request(ticker)), await callOf(await request(ticker))], [1, 2]);
    const response = await request(ticker);
    assert.equal(response.headers.get('etag'), null);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
  });
  steady('are not served while the gateway cannot tell whether they are old', async () => {
    const ticker = market({});
    assert.deepEqual([await callOf(await request(ticker)), await callOf(await request(ticker))], [1, 1]);
    system.edge.keys.heartbeat(false);
    await eventually(async () => assert.equal(await callOf(await request(ticker)), 2));
    system.edge.keys.heartbeat(true);
    await heartbeatArrived();
  });
  steady('start with the second request by default, so that a walk through all markets evicts nothing', async () => {
    const careful = await system.another({ CACHE_FROM_REQUEST: '2' });
    await eventually(async () => {
      const ticker = market({});
      for (let count = 1; count <= 4; count += 1) await careful.request(`/markets/${ticker}/snapshots`, key);
      assert.equal(calls.get(ticker), 2);
    });
  });
});
