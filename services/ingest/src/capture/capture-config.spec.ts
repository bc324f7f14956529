import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { captureArguments, readCaptureConfig } from './capture-config.js';

const kalshi = { venue: 'kalshi', series: 'KXBTC15M', intervalUs: 1_000_000 } as const;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

test('the command line sets a venue, a series and the row interval, and all its faults are reported at once', () => {
  assert.deepStrictEqual(captureArguments(['kalshi', '--series', 'KXBTC15M']), kalshi);
  assert.deepStrictEqual(captureArguments(['polymarket', '--series', 'btc-updown-5m', '--sample', 'every-change']), {
    venue: 'polymarket',
    series: 'btc-updown-5m',
    intervalUs: 1,
  });
  const message = /one venue is needed.*\n--series must be.*\n--sample must be.*\n\nUsage: npm run capture/;
  assert.throws(() => captureArguments(['nasdaq', '--series', '../x', '--sample', '0s']), message);
  assert.throws(() => captureArguments(['kalshi', '--serie', 'X']), /Unknown option '--serie'[^]*Usage/);
});

test('the configuration is read from the environment, then from the file of the running system', async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  context.after(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, 'ingest.env'), 'NATS_URL=nats://written:1\nNATS_PASSWORD=written\n');
  const given = { ALMANAC_HOME: home, KALSHI_KEY_ID: 'key-1', KALSHI_PRIVATE_KEY: pem, NATS_PASSWORD: 'given' };
  const config = await readCaptureConfig(given, kalshi);
  assert.strictEqual(config.folder, join(home, 'captures'));
  assert.deepStrictEqual(
    [config.NATS_URL, config.NATS_USER, config.NATS_PASSWORD],
    ['nats://written:1', 'ingest', 'given'],
  );
  const { feed } = config.connect('KXBTC15M');
  assert.strictEqual(feed.endpoint.url, 'wss://api.elections.kalshi.com/trade-api/ws/v2');
  assert.strictEqual(feed.endpoint.headers()['KALSHI-ACCESS-KEY'], 'key-1');
});

test('all faults of the configuration are reported at once without a secret, and polymarket needs no key', async () => {
  const given = {
    ALMANAC_HOME: '/nowhere',
    KALSHI_PRIVATE_KEY: 'a secret',
    KALSHI_WS_URL: 'x',
    CAPTURE_LIST_MS: 'soon',
  };
  await assert.rejects(readCaptureConfig(given, kalshi), (error: Error) => {
    for (const name of ['KALSHI_WS_URL', 'KALSHI_PRIVATE_KEY: must be a private key in PEM format', 'CAPTURE_LIST_MS'])
      assert.ok(error.message.includes(name), name);
    assert.ok(!error.message.includes('a secret'));
    return true;
  });
  await assert.rejects(readCaptureConfig({ ALMANAC_HOME: '/nowhere' }, kalshi), (error: Error) => {
    for (const name of ['KALSHI_KEY_ID', 'KALSHI_PRIVATE_KEY'])
      assert.ok(error.message.includes(`${name}: is required for kalshi`), name);
    return true;
  });
  await readCaptureConfig({ ALMANAC_HOME: '/nowhere' }, { ...kalshi, venue: 'polymarket' });
});
