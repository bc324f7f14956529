import type { System } from '@almanac/operator';
import { allExpressions, parsePromql } from '@almanac/test-deploy';

/** The metrics of all processes of a system. */
export interface Measured {
  /** Metric names as in queries: with `_bucket`, `_sum` and `_count` of a histogram. */
  readonly names: ReadonlySet<string>;
  /** The labels of metrics that have a value. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
  /** The sum over all labels and processes. Undefined without a value. */
  sum(name: string, labels?: string): number | undefined;
}

const suffixes = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] };

/** Scrapes every process once. */
export const readMetrics = async ({ services }: System): Promise<Measured> => {
  const texts = await Promise.all(
    [...services.values()].map(async ({ healthPort }) => {
      const answer = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
      return answer.text();
    }),
  );
  const lines = texts.join('\n').split('\n');
  const names = new Set<string>();
  const labels = new Map<string, Set<string>>();
  for (const line of lines) {
    const [, name = '', type = ''] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    const ends = type === 'histogram' || type === 'summary' ? suffixes[type] : [''];
    if (name !== '') for (const end of ends) names.add(`${name}${end}`);
    const [, sampled = '', all = ''] = /^(\w+)\{(.*)\} /.exec(line) ?? [];
    const known = labels.get(sampled) ?? new Set();
    for (const [, label = ''] of all.matchAll(/(\w+)="/g)) known.add(label);
    if (sampled !== '') labels.set(sampled, known);
  }
  return {
    names,
    labels,
    sum: (name, labelFilter = '') => {
      const found = lines.filter((line) => /^\w+/.exec(line)?.[0] === name && line.includes(labelFilter));
      return found.length === 0 ? undefined : found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
  };
};

/** Prometheus itself reports which processes it reached, and `backup verify` writes a file for the node exporter. */
const ofOthers = new Set(['up', 'almanac_backup_verified_timestamp_seconds']);

/** Metrics of panels and alerts that no process exports, and labels that their metric does not have. */
export const unknownReferences = async ({ names, labels }: Measured): Promise<string[]> => {
  const expressions = (await allExpressions()).map(({ where, expr }) => ({ where, ...parsePromql(expr) }));
  return expressions.flatMap(({ where, metrics, matched }) => [
    ...[...metrics]
      .filter((metric) => !ofOthers.has(metric) && !names.has(metric))
      .map((metric) => `${where}: ${metric}`),
    ...matched
      .filter(({ metric, label }) => labels.get(metric)?.has(label) === false)
      .map(({ metric, label }) => `${where}: ${label} of ${metric}`),
  ]);
};
