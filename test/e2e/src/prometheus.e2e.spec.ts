import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { allExpressions, readRules } from '@almanac/test-deploy';
import { eventually } from '@almanac/testing';
import { type Prometheus, startPrometheus } from './prometheus.js';
import { type SystemHarness, startHarness } from './harness.js';

describe("a Prometheus with the project's configuration and a running system", () => {
  let folder = '';
  let running: SystemHarness;
  let prometheus: Prometheus;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-prometheus-'));
    running = await startHarness();
    prometheus = await startPrometheus(
      folder,
      [...running.system.services.values()].map(({ healthPort }) => healthPort),
    );
  });
  after(async () => {
    await prometheus.stop();
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('scrapes every process', async () => {
    await eventually(async () => {
      const targets = await prometheus.targets();
      assert.equal(targets.length, running.system.services.size);
      for (const { health, lastError } of targets) assert.deepEqual([health, lastError], ['up', '']);
    });
  });

  it('evaluates every alert', async () => {
    const alerts = (await readRules()).groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    await eventually(async () => {
      const rules = await prometheus.rules();
      assert.deepEqual(
        rules.map(({ name, health, lastError = '' }) => [name, health, lastError]),
        alerts.map((alert) => [alert, 'ok', '']),
      );
    });
  });

  it('answers the query of every panel', async () => {
    for (const { expr } of await allExpressions()) assert.ok((await prometheus.seriesOf(expr)) >= 0);
    await assert.rejects(prometheus.seriesOf('rate(up[5m)'), /parse error/);
    const api = await running.client('free');
    await eventually(async () => {
      assert.equal((await api.send('/categories')).status, 200);
      assert.ok((await prometheus.seriesOf('sum(rate(almanac_http_requests_total{route="/categories"}[1m])) > 0')) > 0);
    });
  });
});
