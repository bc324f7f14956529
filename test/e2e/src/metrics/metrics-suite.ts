import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { allExpressions, readRules } from '@almanac/test-deploy';
import { eventually } from '@almanac/testing';
import { type Prometheus, startPrometheus } from './prometheus.js';
import type { SystemHarness } from '../harness.js';
import { readMetrics, unknownReferences } from './metrics.js';

/** Tests of the metrics of a system that has answered and exported, and of the panels and alerts that use them. */
export const metricsSuite = (system: () => SystemHarness): void => {
  describe("a Prometheus with the project's configuration and a running system", () => {
    let folder = '';
    let running: SystemHarness;
    let prometheus: Prometheus;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'almanac-prometheus-'));
      running = system();
      prometheus = await startPrometheus(
        folder,
        [...running.system.services.values()].map(({ healthPort }) => healthPort),
      );
    });
    after(async () => {
      await prometheus.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('has the metrics of all its work, and every panel and alert uses only existing metrics and labels', async () => {
      await eventually(async () => {
        const measured = await readMetrics(running.system);
        assert.deepEqual(await unknownReferences(measured), []);
        const least = { almanac_export_file_bytes_total: 1, almanac_cache_bytes: 0 };
        for (const [name, value] of Object.entries(least)) assert.ok((measured.sum(name) ?? -1) >= value, name);
        for (const name of ['clickhouse_queries', 's3_requests', 'rpc_requests', 'rpc_client_requests']) {
          assert.ok((measured.sum(`almanac_${name}_total`, 'outcome="ok"') ?? 0) > 0, name);
        }
        assert.ok((measured.sum('almanac_http_requests_total', 'route="/exports",method="post"') ?? 0) >= 1);
        assert.ok((measured.sum('almanac_export_files_total', 'outcome="ready"') ?? 0) >= 1);
        assert.equal(measured.sum('almanac_consumer_pending', 'consumer="export-workers"'), 0);
      });
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
        assert.ok(
          (await prometheus.seriesOf('sum(rate(almanac_http_requests_total{route="/categories"}[1m])) > 0')) > 0,
        );
      });
    });
  });
};
