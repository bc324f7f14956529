import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createServer } from 'node:tls';
import { eventually, otherTls, testTls } from '@almanac/testing';
import {
  earliestOf,
  serverCertificate,
  validityOfAuthorities,
  validityOfChain,
  validityOfServer,
  watchCertificates,
} from './certificates.js';
import { createHealth } from './health.js';
import { createLogger } from './logger.js';
import { processMetrics } from './metrics.js';

const endOfExpired = Date.parse('2025-02-01T00:00:00Z');
const dayMs = 86_400_000;

/** Runs a test with the port of a server that shows a certificate. */
const withServer = async (certificate: string, run: (port: number) => Promise<void>): Promise<void> => {
  const server = createServer({ cert: await readFile(certificate), key: await readFile(otherTls.key) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
};

/** What the check says once the certificates have been read. */
const watched = (read: Parameters<typeof watchCertificates>[1]) => {
  const health = createHealth();
  const lines: string[] = [];
  const log = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  watchCertificates('nats', read, { health, log });
  return {
    check: async () => (await health.degradable.get('nats_certificates')?.()) ?? null,
    lines,
  };
};

describe('the certificate of a server', () => {
  it('is read although it has ended, and nobody trusts it', () =>
    withServer(otherTls.expired, async (port) => {
      assert.equal((await validityOfServer({ host: '127.0.0.1', port })).to, endOfExpired);
      const read = serverCertificate('server', `https://localhost:${port}/path`)['server'];
      assert.equal((await read?.())?.to, endOfExpired);
    }));

  it('is not there for an address without TLS', () => {
    assert.deepEqual(serverCertificate('server', 'http://localhost:8123'), {});
  });

  it('of several servers is the one that ends first, also while another one is away', () =>
    withServer(otherTls.expired, async (port) => {
      const ended = () => validityOfServer({ host: '127.0.0.1', port });
      const away = () => Promise.reject(new Error('away'));
      const later = async () => validityOfChain(await readFile(testTls.certificate, 'utf8'));
      assert.equal((await earliestOf([away, later, ended])())?.to, endOfExpired);
      await assert.rejects(earliestOf([away, away]), /away/);
      assert.equal(await earliestOf([() => Promise.resolve(null)])(), null);
    }));
});

describe('a file of certificates', () => {
  it('ends with its first one, and authorities with the last of them', async () => {
    const [ended, lasting] = await Promise.all([otherTls.expired, testTls.authority].map((at) => readFile(at, 'utf8')));
    assert.equal(validityOfChain(`${ended}\n${lasting}`).to, endOfExpired);
    assert.equal(validityOfAuthorities(`${ended}\n${lasting}`).to, validityOfChain(lasting ?? '').to);
    assert.throws(() => validityOfChain('a key'), /has no certificate/);
  });
});

describe('a process that watches certificates', () => {
  it('tells of those that end soon, by the length of their life, and has metrics of all', async () => {
    const now = Date.now();
    const of = (lastsDays: number, leftDays: number) => () =>
      Promise.resolve({ from: now - (lastsDays - leftDays) * dayMs, to: now + leftDays * dayMs });
    const { check } = watched({
      short: of(1, 0.25),
      late: of(1, 0.1),
      authority: of(3_650, 15),
      server: of(3_650, -1),
      away: () => Promise.resolve(null),
    });
    await eventually(async () =>
      assert.match((await check()) ?? '', /^late ends at \S+, server ended at \S+\. Renew it$/),
    );
    const text = await processMetrics.metrics();
    const seconds = (now + 15 * dayMs) / 1_000;
    assert.ok(text.includes(`almanac_certificate_expires_timestamp_seconds{certificate="authority"} ${seconds}`), text);
    assert.match(text, /almanac_certificate_lifetime_seconds\{certificate="short"\} 86400\n/);
    assert.doesNotMatch(text, /certificate="away"/);
  });

  it('logs those that it cannot read', async () => {
    const { check, lines } = watched({
      gone: () => readFile('/nowhere/ca.pem', 'utf8').then(validityOfChain),
    });
    await eventually(() =>
      assert.ok(lines.some((line) => line.includes('"certificate":"gone"') && line.includes('ENOENT'))),
    );
    assert.equal(await check(), null);
  });
});
