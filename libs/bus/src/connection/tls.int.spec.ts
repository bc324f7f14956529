import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConfigError, createHealth, createLogger } from '@almanac/runtime';
import { eventually, type NatsTls, otherTls, testTls } from '@almanac/testing';
import { type Bus, type BusOptions, connectBus, TlsError } from '../bus.js';
import { connectFromConfig } from '../process/connect-from-config.js';
import { startTestBus, type TestBus } from '../testing/test-bus.js';
import { natsCertificates } from './nats-certificates.js';
import { type BusTls, tlsIn } from './tls.js';

const first = { cert_file: testTls.certificate, key_file: testTls.key };
const other = { cert_file: otherTls.certificate, key_file: otherTls.key };

/** Runs a test with a server that has TLS, and without `server` none. */
const withServer = async (server: NatsTls | undefined, run: (nats: TestBus) => Promise<void>): Promise<void> => {
  const nats = await startTestBus(1, server === undefined ? {} : { server });
  try {
    await run(nats);
  } finally {
    await nats.stop();
  }
};

const optionsFor = ({ server }: TestBus, tls: BusTls): BusOptions => ({
  url: server.url,
  user: 'keys',
  password: 'test',
  connectTimeoutMs: 2_000,
  tls,
});

const connects = async (nats: TestBus, tls: BusTls): Promise<void> => (await connectBus(optionsFor(nats, tls))).close();
const isRefused = (nats: TestBus, tls: BusTls, message: RegExp): Promise<void> =>
  assert.rejects(connects(nats, tls), (error) => error instanceof TlsError && message.test(error.message));

describe('TLS to NATS', () => {
  it('trusts a server whose certificate an authority of NATS_CA_FILE has signed, and no other', () =>
    withServer(first, async (nats) => {
      await connects(nats, { caFile: testTls.authority });
      await isRefused(nats, { caFile: otherTls.authority }, /no authority that this process trusts/);
      await isRefused(nats, {}, /Set NATS_CA_FILE to the certificate of the right one/);
      await isRefused(nats, { caFile: '/nowhere/ca.pem' }, /^\/nowhere\/ca\.pem cannot be read/);
    }));

  it('refuses an expired certificate, and one for another name', async () => {
    await withServer({ ...other, cert_file: otherTls.expired }, (nats) =>
      isRefused(nats, { caFile: otherTls.authority }, /has expired\. Renew it, and let the servers read it/),
    );
    await withServer({ ...other, cert_file: otherTls.elsewhere }, (nats) =>
      isRefused(nats, { caFile: otherTls.authority }, /is for other names than the one in NATS_URL/),
    );
  });

  it('is demanded by NATS_CA_FILE, and by the address', () =>
    withServer(undefined, async (nats) => {
      await isRefused(nats, { caFile: testTls.authority }, /NATS has no TLS\. Start it with deploy\/nats\/tls\.conf/);
      const url = nats.server.url.replace('nats:', 'tls:');
      await assert.rejects(connectBus({ url, user: 'keys', password: 'test' }), /NATS has no TLS/);
    }));

  it('shows a certificate to a server that wants one', () =>
    withServer({ ...first, ca_file: testTls.authority }, async (nats) => {
      const caFile = testTls.authority;
      await connects(nats, { caFile, certFile: testTls.certificate, keyFile: testTls.key });
      await isRefused(nats, { caFile }, /Set NATS_CERT_FILE and NATS_KEY_FILE/);
      const foreign = { caFile, certFile: otherTls.certificate, keyFile: otherTls.key };
      await isRefused(nats, foreign, /NATS refuses the certificate in NATS_CERT_FILE/);
      await isRefused(nats, { ...foreign, keyFile: testTls.key }, /the key in NATS_KEY_FILE does not belong to/);
    }));

  it('tells that the certificate of this process has expired', () =>
    withServer({ ...first, ca_file: otherTls.authority }, (nats) => {
      const expired = { caFile: testTls.authority, certFile: otherTls.expired, keyFile: otherTls.key };
      return isRefused(nats, expired, /NATS refuses the certificate in NATS_CERT_FILE\. Renew it if it has expired/);
    }));

  it('needs a certificate with its key, and counts empty variables as absent', () => {
    assert.throws(() => tlsIn({ NATS_CERT_FILE: 'a' }), ConfigError);
    assert.throws(() => tlsIn({ NATS_KEY_FILE: 'a' }), ConfigError);
    assert.deepEqual(tlsIn({ NATS_CA_FILE: '', NATS_CERT_FILE: '' }), {});
  });
});

describe('the ends of certificates', () => {
  it('are those that the server shows now, and of the files', async () => {
    await withServer({ ...first, ca_file: testTls.authority }, async ({ server: { url } }) => {
      const caFile = testTls.authority;
      const reads = natsCertificates(url, { caFile, certFile: testTls.certificate, keyFile: testTls.key });
      assert.deepEqual(Object.keys(reads), ['NATS_CA_FILE', 'NATS_CERT_FILE', 'server of NATS']);
      for (const [name, read] of Object.entries(reads))
        assert.equal(new Date((await read())?.to ?? 0).getUTCFullYear(), 2126, name);
    });
    const expired = { ...other, cert_file: otherTls.expired };
    await withServer(expired, async ({ server: { url } }) => {
      const read = natsCertificates(url, { caFile: testTls.authority })['server of NATS'];
      assert.equal((await read?.())?.to, Date.parse('2025-02-01T00:00:00Z'));
    });
    assert.deepEqual(natsCertificates('nats://127.0.0.1:4222', undefined), {});
  });
});

describe('renewed certificates', () => {
  let folder = '';
  let nats: TestBus;
  let bus: Bus;
  const health = createHealth();
  const stops: (() => Promise<void> | void)[] = [];
  const lines: string[] = [];
  const file = (name: string): string => join(folder, name);
  const useOf = async ({ certificate, key }: { certificate: string; key: string }): Promise<void> => {
    await copyFile(certificate, file('tls.crt'));
    await copyFile(key, file('tls.key'));
  };
  const isLogged = (text: string): Promise<void> =>
    eventually(() => assert.ok(lines.some((line) => line.includes(text))), { timeoutMs: 30_000 });
  const isReady = async (): Promise<void> =>
    eventually(async () => assert.equal(await health.checks.get('nats')?.(), null), { timeoutMs: 30_000 });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-nats-tls-'));
    await useOf(testTls);
    await copyFile(otherTls.authority, file('ca.crt'));
    const paths = { cert_file: file('tls.crt'), key_file: file('tls.key') };
    nats = await startTestBus(1, { server: paths });
  });
  after(async () => {
    for (const stop of stops) await stop();
    await nats.stop();
    await rm(folder, { recursive: true });
  });

  it('let a process start that waited for the right authority', async () => {
    const log = createLogger('keys', 'info', { write: (line) => void lines.push(line) });
    const config = { NATS_USER: 'keys', NATS_PASSWORD: 'test', NATS_REPLICAS: 1, NATS_CA_FILE: file('ca.crt') };
    const connecting = connectFromConfig(
      { ...config, NATS_URL: nats.server.url },
      { health, log, onStop: (_, stop) => void stops.push(stop) },
    );
    await isLogged('waiting for NATS: no authority that this process trusts signed the certificate of NATS');
    await copyFile(testTls.authority, file('ca.crt'));
    bus = await connecting;
    await isReady();
  });

  it('are used by new connections after a reload, while older ones go on', async () => {
    await useOf(otherTls);
    process.kill(nats.server.pid, 'SIGHUP');
    await eventually(() => isRefused(nats, { caFile: testTls.authority }, /no authority/), { timeoutMs: 30_000 });
    await connects(nats, { caFile: otherTls.authority });
    await bus.nc.flush();
  });

  it('are named while a lost connection cannot come back, and are enough for it to come back', async () => {
    await nats.server.restart();
    await isLogged('"NATS: no authority that this process trusts signed the certificate of NATS');
    assert.match((await health.checks.get('nats')?.()) ?? '', /Set NATS_CA_FILE/);
    await copyFile(otherTls.authority, file('ca.crt'));
    await isReady();
  });
});
