import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { findBinary } from '@almanac/local-servers';
import { type AlertCase, alertCases, healthy } from './alert-cases.js';
import { readAllRules, ruleFiles } from './observability-files.js';
import { repository } from './repository.js';
import { z } from 'zod';

const run = promisify(execFile);

/** It comes with Prometheus: beside it, or in the package that `npm test` unpacks. */
const findPromtool = async (): Promise<string> => {
  const folder = dirname(await findBinary('prometheus'));
  const unpacked = join(folder, '../packages/prometheus/usr/bin/promtool');
  return access(unpacked).then(
    () => unpacked,
    () => join(folder, 'promtool'),
  );
};

const printed = z.object({ stdout: z.string(), stderr: z.string() });

/** Longer than the longest `for`. */
const afterMinutes = 40;
const firing = 'count by (alertname) (ALERTS{alertstate="firing"}) > 0';

describe('each alert, evaluated by promtool', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-alerts-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const testOf = ({ because, series, fires, after: minutes = afterMinutes }: AlertCase) => ({
    name: because,
    interval: '1m',
    input_series: Object.entries({ ...healthy(minutes), ...series }).map(([name, values]) => ({
      series: name,
      values,
    })),
    promql_expr_test: [
      {
        expr: firing,
        eval_time: `${minutes}m`,
        exp_samples: fires.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  });
  const promtool = async (cases: readonly AlertCase[]): Promise<string> => {
    const file = join(folder, 'alerts.json');
    // JSON is YAML.
    await writeFile(
      file,
      JSON.stringify({
        rule_files: ruleFiles.map((name) => `${repository}deploy/observe/${name}`),
        evaluation_interval: '1m',
        tests: cases.map(testOf),
      }),
    );
    const answer = await run(await findPromtool(), ['test', 'rules', file]).catch((error: unknown) => error);
    const { stdout, stderr } = printed.parse(answer);
    return `${stdout}${stderr}`;
  };

  it('fires for its reason, and no other one does', async () => {
    assert.match(await promtool(alertCases), /SUCCESS/);
  });

  it('has a case', async () => {
    const alerts = (await readAllRules()).map(({ alert }) => alert);
    assert.deepEqual(new Set(alertCases.flatMap(({ fires }) => fires)), new Set(alerts));
  });

  it('would be found silent', async () => {
    const [first = assert.fail()] = alertCases.filter(({ fires }) => fires.length > 0);
    assert.match(await promtool([{ ...first, series: {} }]), /FAILED/);
  });
});
