// The suites of archive.e2e.spec.ts once more, on three nats-servers with TLS: some minutes. What TLS does is tested in libs/bus.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { processNames } from '@almanac/contracts';
import {
  type ConfiguredNatsCluster,
  serversWithTables,
  startTraceCollector,
  testTls,
  type TraceCollector,
} from '@almanac/testing';
import { archiveSuites, archiveSystem } from '../archive/archive-suites.js';
import { type SystemHarness, startHarness } from '../harness.js';
import { clusterStarter, withReplicas } from './system-on-cluster.js';

const files = { NATS_CA_FILE: testTls.authority, NATS_CERT_FILE: testTls.certificate, NATS_KEY_FILE: testTls.key };

/** This process and the commands that it starts know the authority as a machine does. Services have the files alone. */
const trustAuthority = (): void => {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(testTls.authority, 'utf8')]);
  process.env['NODE_EXTRA_CA_CERTS'] = testTls.authority;
};

describe('a system on three NATS servers with TLS', { timeout: 1_200_000 }, () => {
  let collector: TraceCollector;
  let running: SystemHarness;
  let cluster: () => ConfiguredNatsCluster;

  before(async () => {
    trustAuthority();
    collector = await startTraceCollector();
    const { environment, ...options } = archiveSystem(collector.url);
    const starter = clusterStarter('tls');
    ({ cluster } = starter);
    const secured = processNames.map((name): [string, NodeJS.ProcessEnv] => [
      name,
      { ...files, ...environment[name], NODE_EXTRA_CA_CERTS: '' },
    ]);
    running = await startHarness({
      ...options,
      environment: withReplicas(Object.fromEntries(secured)),
      servers: { ...(await serversWithTables()), nats: starter.nats },
    });
  });
  after(async () => {
    await collector.stop();
    await running.stop();
  });

  it('has no connection of a client or of another server without TLS', async () => {
    const uses = await Promise.all(cluster().names.map((name) => cluster().tlsUseOf(name)));
    assert.ok(uses.every(({ betweenServers }) => betweenServers));
    const versions = uses.flatMap(({ clients }) => clients);
    // Two of each process.
    assert.ok(versions.length >= 2 * processNames.length, `${versions.length} connections`);
    assert.deepEqual(new Set(versions), new Set(['1.3']));
  });

  archiveSuites(
    () => running,
    () => collector,
  );
});
