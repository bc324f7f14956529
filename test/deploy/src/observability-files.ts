import { parser } from '@prometheus-io/lezer-promql';
import { z } from 'zod';
import { readText, readYaml, repository } from './repository.js';

const folder = 'deploy/observe';

const duration = z.string().regex(/^\d+(?:ms|[smhdwy])$/);

/** The rules file format of Prometheus for alerts, which refuses unknown fields. */
const rulesFile = z.strictObject({
  groups: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        rules: z
          .array(
            z.strictObject({
              alert: z.string().regex(/^[A-Z]\w+$/),
              expr: z.string().min(1),
              for: duration.optional(),
              labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
              annotations: z.strictObject({
                summary: z.string().min(1),
                remedy: z.string().min(1),
                runbook_url: z.string(),
              }),
            }),
          )
          .min(1),
      }),
    )
    .min(1),
});

/** The fields of a dashboard that these tests read. */
const dashboardFile = z.object({
  uid: z.string().min(1),
  title: z.string().min(1),
  schemaVersion: z.int(),
  panels: z.array(
    z.object({
      id: z.int(),
      type: z.enum(['row', 'timeseries']),
      title: z.string().min(1),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int().max(24), h: z.int() }),
      datasource: z.object({ type: z.literal('prometheus'), uid: z.string() }).optional(),
      targets: z.array(z.object({ refId: z.string(), expr: z.string().min(1), legendFormat: z.string() })).default([]),
    }),
  ),
});

/** Of the services, and of the servers that they use. */
export const ruleFiles = ['rules.yml', 'servers.yml'] as const;

export const readRules = async (file: (typeof ruleFiles)[number] = 'rules.yml') =>
  rulesFile.parse((await readYaml(`${folder}/${file}`))[0]);

export const readAllRules = async () =>
  (await Promise.all(ruleFiles.map(readRules))).flatMap(({ groups }) => groups.flatMap(({ rules }) => rules));

export const readDashboard = async () => dashboardFile.parse(JSON.parse(await readText(`${folder}/dashboard.json`)));

/** An expression of a panel or an alert, with its location. */
export interface QueryExpression {
  readonly where: string;
  /** With a fixed range instead of Grafana's variable. */
  readonly expr: string;
  /** The texts beside it that name a series by `{{route}}` or `$labels.route`. */
  readonly texts: readonly string[];
}

export const allExpressions = async (): Promise<QueryExpression[]> => {
  const { panels } = await readDashboard();
  const { groups } = await readRules();
  return [
    ...panels.flatMap(({ title, targets }) =>
      targets.map(({ expr, legendFormat }) => ({
        where: `the panel ${title}`,
        expr: expr.replaceAll('$__rate_interval', '1m'),
        texts: [legendFormat],
      })),
    ),
    ...groups.flatMap(({ rules }) =>
      rules.map(({ alert, expr, annotations }) => ({
        where: `the alert ${alert}`,
        expr,
        texts: [annotations.summary, annotations.remedy],
      })),
    ),
  ];
};

const scrapeFile = z.looseObject({
  global: z.record(z.string(), z.string()),
  rule_files: z.array(z.string()),
  alerting: z.unknown(),
  scrape_configs: z.tuple([z.looseObject({ job_name: z.string(), dns_sd_configs: z.unknown() })], z.unknown()),
});

/** The compose configuration for processes on this machine, scraped each second. */
export const scrapeConfigFor = async (targets: readonly string[]): Promise<unknown> => {
  const { alerting: _alerting, ...found } = scrapeFile.parse((await readYaml(`${folder}/prometheus.yml`))[0]);
  const [{ dns_sd_configs: _, ...scrape }] = found.scrape_configs;
  return {
    ...found,
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [`${repository}${folder}/rules.yml`],
    scrape_configs: [{ ...scrape, static_configs: [{ targets }] }],
  };
};

/** The metrics, labels and groups of an expression. */
export interface Selected {
  readonly metrics: ReadonlySet<string>;
  /** Each metric with its label matchers. */
  readonly matched: readonly { readonly metric: string; readonly label: string }[];
  readonly groupedBy: ReadonlySet<string>;
}

/** Parses PromQL by the grammar of Prometheus. Throws for invalid PromQL. */
export const parsePromql = (expr: string): Selected => {
  const metrics = new Set<string>();
  const matched: { metric: string; label: string }[] = [];
  const groupedBy = new Set<string>();
  let metric = '';
  parser.parse(expr).iterate({
    enter: ({ type, from, to, node }) => {
      const text = expr.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expr.slice(from, from + 40)}`);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.add((metric = text));
      if (type.name !== 'LabelName') return;
      if (node.parent?.name === 'GroupingLabels') groupedBy.add(text);
      else matched.push({ metric, label: text });
    },
  });
  if (metrics.size === 0) throw new Error(`nothing is selected by ${expr}`);
  return { metrics, matched, groupedBy };
};
