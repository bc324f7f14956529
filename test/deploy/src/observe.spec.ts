import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import {
  type QueryExpression,
  allExpressions,
  parsePromql,
  readAllRules,
  readDashboard,
} from './observability-files.js';
import { readText, readYaml } from './repository.js';
import { processNames } from '@almanac/contracts';

const mounted = (lines: readonly string[]) => lines.map((line) => line.split(':'));
const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({ profiles: z.array(z.string()).default([]), volumes: z.array(z.string()).default([]) }),
  ),
});

describe('the dashboard and the alerts', () => {
  let referenced: QueryExpression[] = [];
  before(async () => {
    referenced = await allExpressions();
  });

  it('use valid PromQL, by the grammar of Prometheus itself', () => {
    assert.ok(referenced.length > 40, `${referenced.length}`);
    for (const { where, expr } of referenced) assert.doesNotThrow(() => parsePromql(expr), where);
    for (const wrong of ['rate(a[5m]', 'sum by (a b', 'a{b=}', 'a >', ''])
      assert.throws(() => parsePromql(wrong), wrong);
  });

  it('name in legends and texts only labels that their expression keeps', () => {
    for (const { where, expr, texts } of referenced) {
      const { groupedBy, matched } = parsePromql(expr);
      const named = texts.flatMap((text) =>
        [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z]\w*)\s*\}\}/g)].map(([, name = '']) => name),
      );
      // A series that is not grouped keeps all its labels, among them those of the scrape.
      const labels =
        groupedBy.size > 0 ? groupedBy : new Set(['instance', 'job', ...matched.map(({ label }) => label)]);
      for (const name of named) assert.ok(labels.has(name), `${where} names ${name}`);
    }
  });

  it('average rates only: a sum of counters would fall with each restart', () => {
    for (const { where, expr } of referenced) {
      for (const metric of parsePromql(expr).metrics) {
        if (!/_(?:total|bucket|sum|count)$/.test(metric)) continue;
        const uses = [...expr.matchAll(new RegExp(`(\\w+)\\(${metric}\\b`, 'g'))].map(([, name]) => name);
        const all = expr.match(new RegExp(`${metric}\\b`, 'g'))?.length;
        assert.deepEqual(
          [uses.length, uses.every((name) => name === 'rate' || name === 'increase')],
          [all, true],
          where,
        );
      }
    }
  });

  it('have one dashboard without a repeated panel id or overlapping panels', async () => {
    const { panels } = await readDashboard();
    const ids = panels.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    assert.equal(new Set(cells).size, cells.length);
    for (const { type, title, targets } of panels) assert.equal(targets.length > 0, type === 'timeseries', title);
  });

  it('have unique alert names', async () => {
    const names = (await readAllRules()).map(({ alert }) => alert);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.every((name) => name.startsWith('Almanac')));
  });

  it('have a section of the runbook for each alert, which links to it', async () => {
    const page = await readText('docs/runbooks/alerts.md');
    const sections = [...page.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);
    const rules = await readAllRules();
    assert.deepEqual(
      sections,
      rules.map(({ alert }) => alert),
    );
    for (const { alert, annotations } of rules) {
      assert.equal(annotations.runbook_url, `docs/runbooks/alerts.md#${alert.toLowerCase()}`);
    }
  });

  it('have scrape targets for every service in compose, and their files where the servers read them', async () => {
    const scrape = z.object({
      rule_files: z.array(z.string()),
      scrape_configs: z.tuple(
        [
          z.object({
            job_name: z.literal('almanac'),
            dns_sd_configs: z.tuple([
              z.object({ names: z.array(z.string()), type: z.literal('A'), port: z.literal(9090) }),
            ]),
          }),
        ],
        z.object({ job_name: z.string(), static_configs: z.tuple([z.object({ targets: z.tuple([z.string()]) })]) }),
      ),
    });
    const config = scrape.parse((await readYaml('deploy/observe/prometheus.yml'))[0]);
    assert.deepEqual(config.scrape_configs[0].dns_sd_configs[0].names.toSorted(), processNames.toSorted());
    const { services } = composeFile.parse((await readYaml('docker-compose.yml'))[0]);
    const { prometheus, grafana } = services;
    for (const name of ['prometheus', 'alertmanager', 'nats-exporter', 'redis-exporter', 'grafana'])
      assert.deepEqual(services[name]?.profiles, ['observe'], name);
    const [, ...servers] = config.scrape_configs;
    for (const {
      static_configs: [{ targets }],
    } of servers)
      assert.ok(services[targets[0].split(':')[0] ?? ''] !== undefined);
    const inPrometheus = mounted(prometheus?.volumes ?? []).map(([, path = '']) => path);
    for (const path of [...config.rule_files, '/etc/prometheus/prometheus.yml']) assert.ok(inPrometheus.includes(path));
    const provider = z.object({ providers: z.tuple([z.object({ options: z.object({ path: z.string() }) })]) });
    const [{ options }] = provider.parse((await readYaml('deploy/observe/grafana/dashboards.yml'))[0]).providers;
    const inGrafana = mounted(grafana?.volumes ?? []).map(([, path = '']) => path);
    assert.ok(inGrafana.includes(`${options.path}/dashboard.json`));
    assert.match(await readText('deploy/observe/grafana/datasource.yml'), /uid: prometheus\n/);
  });
});
