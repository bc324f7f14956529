// Of the full run: it starts the whole system. The gate checks the variables of each pod without starting it.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { processNames } from '@almanac/contracts';
import { type Infrastructure, loadSecrets, startInfrastructure } from '@almanac/operator';
import { template, valuesOf } from '@almanac/test-deploy/kubernetes';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { type ChartPods, chartPods } from './chart-pods.js';

const mapping = `name: mine
format: csv
match: { columns: [market, at, bid, ask] }
fields:
  ticker: { column: market }
  ts: { column: at, unit: s }
  yes_best_bid: { column: bid }
  yes_best_ask: { column: ask }
`;
const imports = {
  mine: { paths: ['/files'], volume: { existingClaim: 'files', mountPath: '/files' }, mapping },
};
const helmTest = z.object({ spec: z.object({ containers: z.tuple([z.object({ args: z.tuple([z.string()]) })]) }) });

describe('the pods of values-small.yaml', { timeout: 300_000 }, () => {
  let home = '';
  let infrastructure: Infrastructure;
  let pods: ChartPods;
  let api = '';
  let testScript = '';
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-chart-'));
    const secrets = await loadSecrets(home);
    infrastructure = await startInfrastructure(home, secrets, { print: () => undefined });
    const values = [...valuesOf('small'), '--set', 'backup.enabled=true'];
    const objects = await template([...values, '--set-json', `ingest.imports=${JSON.stringify(imports)}`]);
    const test = objects.find(({ kind }) => kind === 'Pod');
    [testScript] = helmTest.parse(test).spec.containers[0].args;
    pods = chartPods(objects, { home, infrastructure, secrets });
    assert.match(await pods.run('migrate'), /The schema is up to date|Applied/);
    assert.match(await pods.run('bucket'), /The bucket almanac is ready/);
    const started = await Promise.all(processNames.map((name) => pods.start(name)));
    api = started[processNames.indexOf('gateway')]?.['http'] ?? '';
  });
  after(async () => {
    await pods.stop();
    await infrastructure.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it('become ready as their probes say, and pass the test of Helm', async () => {
    const script = testScript.replace('http://gateway', api);
    const file = join(home, 'test.mjs');
    await writeFile(file, `${script}\n`);
    await import(file);
    assert.notEqual(process.exitCode, 1);
  });

  it('import a volume, make a first key, and answer with what was imported', async () => {
    const files = pods.volume('ingest', '/files');
    await mkdir(files, { recursive: true });
    await writeFile(join(files, 'quotes.csv'), 'market,at,bid,ask\nMINE-1,1795173300,0.49,0.51\n');
    assert.match(await pods.run('ingest'), /stored 1/);
    const created = await pods.run('operator', 'node', 'dist/almanac.js', 'account', 'create', '--plan', 'free');
    const headers = { authorization: `Bearer ${created.trim().split('\n').at(-1)}` };
    await eventually(async () => {
      const response = await fetch(`${api}/api/v1/markets/MINE-1`, { headers, signal: AbortSignal.timeout(5_000) });
      assert.equal(response.status, 200, await response.text());
    });
  });

  it('rebuild the read models and back up', async () => {
    await pods.run('rebuild-catalogue');
    await pods.run('rebuild-exports');
    assert.match(await pods.run('backup'), /The backup in .* is complete: \d+ files/);
    assert.equal((await readdir(pods.volume('backup', '/backups'))).length, 1);
  });
});
