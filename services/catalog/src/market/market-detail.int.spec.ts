import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytesOf, hasRead, rpcClient, type RpcClient, subjects } from '@almanac/bus';
import { catalogRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type CatalogHarness, startHarness } from '../testing/harness.js';

const ticker = 'KXHIGHNY-26FEB10-T50';
const opensUs = 1_771_891_200_000_000;

describe('the detail of a market, for the cache of a gateway', () => {
  let catalog: CatalogHarness;
  let rpc: RpcClient;
  const read = async (input: { ticker: string; as_of?: number } = { ticker }) => {
    const reply = await rpc.forward(catalogRpc.marketDetail, { input, context: { requestId: 'test' } });
    const text = (await bytesOf(reply)).toString('utf8');
    return { meta: reply.meta, text, market: catalogRpc.marketDetail.output.parse(JSON.parse(text)).market };
  };
  before(async () => {
    catalog = await startHarness();
    rpc = rpcClient(await catalog.connect('gateway'));
    const history = [
      { known_us: opensUs, basis: 'recorded' as const, values: { close_us: String(opensUs + 900_000_000) } },
    ];
    const times = { close_us: opensUs + 900_000_000, history };
    await catalog.recorded({ kind: 'market', ticker, series: 'HIGH', ...times }, { kind: 'market', ticker: 'ALONE' });
  });
  after(() => catalog.stop());

  it('names the events that it is from, and has a hash of its bytes', async () => {
    const [detail, again, alone] = [await read(), await read(), await read({ ticker: 'ALONE' })];
    assert.deepEqual(detail.meta.catalogue?.subjects, [subjects.market(ticker), subjects.series('HIGH')]);
    assert.deepEqual(alone.meta.catalogue?.subjects, [subjects.market('ALONE')]);
    const past = await read({ ticker, as_of: opensUs / 1_000_000 + 1 });
    assert.deepEqual(past.meta.catalogue?.subjects, detail.meta.catalogue?.subjects);
    assert.equal(again.meta.digest, detail.meta.digest);
    assert.match(detail.meta.digest ?? '', /^[\w-]{22}$/);
    assert.notEqual(alone.meta.digest, detail.meta.digest);
  });

  it('has every event up to its position, of the market and of its series', async () => {
    for (let n = 1; n <= 150; n += 1) {
      const { last_seq } = await catalog.call('ingest', catalogRpc.record, {
        facts: [
          { kind: 'series', id: 'HIGH', shape: `shape ${n}` },
          { kind: 'market', ticker, title: `${n}` },
        ],
      });
      const { market } = await eventually(async () => {
        const detail = await read();
        assert.ok(hasRead(detail.meta.catalogue?.position ?? [], last_seq));
        return detail;
      });
      assert.deepEqual([market.title, market.shape], [`${n}`, `shape ${n}`]);
    }
  });
});
