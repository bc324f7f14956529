// Real order books of four gold markets, whose sequence has messages of other markets.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { marketsResponse } from '@almanac/contracts';
import { apiClient, type ApiClient } from '@almanac/test-e2e';
import { recording } from '@almanac/testing';
import { accessFaults, closeFaultless, type ConsolePage, excessWidth, settled, useConsole } from './console.js';
import { assertBookBeforeClose, assertCandlesDrawn } from './drawn-values.js';

const { path: folder, skip } = recording('data/kalshi-gold-l2');

void describe('the console over real books of gold', { skip, timeout: 600_000 }, () => {
  const console = useConsole({ skip: skip !== false });
  let api: ApiClient;
  let visitor: ConsolePage;
  before(async () => {
    const harness = console();
    const key = await harness.running.key('full_book');
    api = apiClient(harness.base, key);
    const imported = await harness.running.import(folder);
    assert.equal(imported.code, 0, imported.output);
    visitor = await harness.signedIn(key);
  });
  after(() => closeFaultless(visitor));

  void it('draws the candles and shows the books of the API, of each market', async () => {
    const { page } = visitor;
    const { markets } = await api.json(marketsResponse, '/markets?series=KXGOLD15M&from_ts=0');
    assert.equal(markets.length, 4);
    for (const { ticker, close_ts: closeS } of markets) {
      assert.ok(closeS !== null);
      await visitor.open(`/markets/${ticker}`);
      await settled(page);
      const candles = await assertCandlesDrawn(page, api, ticker);
      assert.ok(candles.some(({ mid }) => mid !== null));
      await assertBookBeforeClose(page, api, { ticker, closeS });
      assert.deepEqual(await accessFaults(page), []);
      assert.equal(await excessWidth(page), 0);
    }
  });
});
