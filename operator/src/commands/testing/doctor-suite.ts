import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { deadLetterStream, durables, ensureDeadLetters, ensureStream, subjects } from '@almanac/bus';
import { AckPolicy } from '@nats-io/jetstream';
import { findFaults } from '../../status/faults.js';
import { gatewayProcess as process } from '../../testing/gateway-process.js';
import type { OperatorFixture } from '../../testing/operator-fixture.js';

/** Tests of `doctor`, on a fixture in which nothing happened yet. Afterwards it is so again. */
export const doctorSuite = (of: () => OperatorFixture): void => {
  describe('the doctor', () => {
    let fixture: OperatorFixture;
    before(async () => {
      fixture = of();
      await ensureDeadLetters(fixture.admin);
    });
    after(async () => {
      const { admin } = fixture;
      for (const stream of [deadLetterStream, 'EVT_CATALOG']) await admin.jsm.streams.delete(stream);
      await ensureDeadLetters(admin);
      await ensureStream(admin, 'EVT_CATALOG');
    });

    it('reports missing streams and services that do not run, and only those', async () => {
      const output = await fixture.fails('doctor');
      for (const service of ['gateway', 'catalog', 'timeseries', 'export']) {
        assert.match(output, new RegExp(`^No process of ${service} answers\\.$`, 'm'));
      }
      assert.match(output, /^The stream EVT_FILE is missing\.\n {2}Its service creates it/m);
      assert.doesNotMatch(output, /EVT_KEYS|EVT_COMMERCE|KV_PERSONAL|process of (?:keys|commerce)|dead letter/);
    });

    it('reports dead letters, a stream that is nearly full, and a consumer that no process reads', async () => {
      const { admin } = fixture;
      await admin.js.publish(subjects.dead('a'), 'x'.repeat(1_000));
      const { config } = await admin.jsm.streams.info('EVT_CATALOG');
      await fixture.recordEvent('EV-1');
      await admin.jsm.streams.update('EVT_CATALOG', { ...config, max_bytes: 300 });
      const durable = { durable_name: durables.catalogReadModel, ack_policy: AckPolicy.Explicit };
      await admin.jsm.consumers.add('EVT_CATALOG', durable);
      const output = await fixture.fails('doctor');
      assert.match(output, /^1 dead letter: .*\n {2}npm run almanac -- dead-letters lists/m);
      assert.match(output, /^The stream EVT_CATALOG uses \d+ % of its limit\./m);
      // A limit that another stream has could not be applied to this one.
      assert.match(output, /^The stream DEAD has no storage limit/m);
      assert.doesNotMatch(output, /^The stream EVT_CATALOG has no storage limit/m);
      assert.match(
        output,
        /^1 event waits for catalog-read-model, and no process requests them\.\n.*process of catalog/m,
      );
    });

    it('reports a clock that is off, versions that differ, and an old server in a cluster', async () => {
      const off = { ...process, service: 'keys', version: '1.1.0', now_us: 1e12 + 3_600e6 };
      const server = { version: '2.9.10', cluster: 'c' };
      const faults = await findFaults(fixture.admin, { processes: [process, off], queriedUs: 1e12, server });
      const faultTexts = faults.map(({ fault }) => fault).join('\n');
      assert.match(faultTexts, /^The clock of keys \(host\/1\) is 3600 s off the clock of the machine that asked\.$/m);
      assert.match(faultTexts, /^Processes of several versions run: 1\.0\.0, 1\.1\.0\.$/m);
      assert.match(faultTexts, /^nats-server 2\.9\.10 in a cluster may accept two publishes/m);
      assert.doesNotMatch(faultTexts, /clock of gateway/);
      const oneProcess = { processes: [process], queriedUs: 1e12, server: { version: '2.9.10' } };
      assert.doesNotMatch(JSON.stringify(await findFaults(fixture.admin, oneProcess)), /cluster|versions|clock/);
    });
  });
};
