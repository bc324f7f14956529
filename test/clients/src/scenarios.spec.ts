import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { readScenarios } from './scenario.js';

const root = new URL('../../../', import.meta.url);
const file = new URL('../scenarios.yaml', import.meta.url);
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))) });

/** The calls that use each operation of the API. */
const callsOf: Readonly<Record<string, readonly string[]>> = {
  addToCart: ['cart.add'],
  cancelExport: ['exports.cancel'],
  checkOut: ['cart.checkout'],
  createExport: ['exports.create', 'exports.quote', 'exports.create_days'],
  createKey: ['keys.create'],
  createWebhook: ['webhooks.create'],
  deleteWebhook: ['webhooks.delete'],
  downloadExport: ['exports.download'],
  enableWebhook: ['webhooks.enable'],
  getBook: ['markets.book'],
  getCart: ['cart.get'],
  getDataset: ['datasets.get'],
  getEvent: ['events.get', 'events.markets'],
  getExport: ['exports.get'],
  getMarket: ['markets.get'],
  getOperatorStatus: ['operator.status'],
  getPlan: ['plan.get'],
  getSeries: ['series.get', 'series.markets', 'series.events'],
  getWebhook: ['webhooks.get'],
  listCandles: ['markets.candles'],
  listCandlesOfMarkets: ['markets.candles_of'],
  listCategories: ['categories.list'],
  listEventSnapshots: ['events.snapshots'],
  listExportFormats: ['exports.formats'],
  listExports: ['exports.list'],
  listKeys: ['keys.list'],
  listMarkets: ['markets.list', 'markets.changes_since'],
  listSeries: ['series.list'],
  listSnapshots: ['markets.snapshots'],
  listTrades: ['markets.trades'],
  listWebhookDeliveries: ['webhooks.deliveries'],
  listWebhooks: ['webhooks.list'],
  openPortal: ['billing.portal'],
  previewMarket: ['markets.preview', 'markets.coverage'],
  readMarketsAt: ['markets.at'],
  redeliverWebhook: ['webhooks.redeliver'],
  removeFromCart: ['cart.remove'],
  revokeKey: ['keys.revoke'],
  rotateWebhookSecret: ['webhooks.rotate'],
  search: ['search'],
  streamExport: ['exports.wait'],
  testWebhook: ['webhooks.test'],
  upgradePlan: ['billing.upgrade'],
};

describe('the scenarios', () => {
  it('make every call of every operation of the API succeed', async () => {
    const { paths } = document.parse(JSON.parse(await readFile(new URL('docs/openapi.json', root), 'utf8')));
    const operations = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    assert.deepEqual(Object.keys(callsOf).toSorted(), operations.toSorted());
    const { scenarios } = await readScenarios(file);
    const succeeding = scenarios.flatMap(({ steps }) => steps).filter(({ error }) => error === undefined);
    const made = new Set(succeeding.map(({ call }) => call));
    assert.deepEqual(
      Object.values(callsOf)
        .flat()
        .filter((call) => !made.has(call)),
      [],
    );
  });

  it('provoke every error code, or say why not', async () => {
    const pages = await readdir(new URL('docs/errors/', root));
    const codes = pages.filter((page) => page !== 'README.md').map((page) => page.replace('.md', ''));
    const { scenarios, not_provoked } = await readScenarios(file);
    const provoked = new Set(scenarios.flatMap(({ steps }) => steps.map(({ error }) => error?.['code'])));
    const missing = codes.filter((code) => !provoked.has(code) && !(code in not_provoked));
    assert.deepEqual(missing, []);
    assert.deepEqual(
      Object.keys(not_provoked).filter((code) => provoked.has(code)),
      [],
    );
  });
});
