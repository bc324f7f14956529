import { readFileSync } from 'node:fs';
import { processNames, serviceRows, userNames } from '@almanac/contracts';
import { redisUserNames } from '@almanac/redis';
import { chartTable, clickHouseUsers } from './chart-table.js';
import { chartValuesSchema } from './chart-values.js';
import { composeService, passwordVariables, replicasVariable, requiredVariables } from './compose.js';
import { withRegions } from './regions.js';

const repository = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, repository), 'utf8');

const passwords = {
  nats: passwordVariables('NATS', userNames),
  clickhouse: passwordVariables('CLICKHOUSE', clickHouseUsers),
  redis: passwordVariables('REDIS', redisUserNames),
};

const listed = (names: readonly string[]): string[] => names.map((name) => `- ${name}`);
const separated = (blocks: readonly (readonly string[])[]): string[] =>
  blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));

/** The regions of files that people write. */
const regions = (): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> => ({
  'docker-compose.yml': {
    services: separated(processNames.map(composeService)),
    'expected processes': [
      `EXPECTED_PROCESSES: ${processNames.map((name) => `${name}=\${${replicasVariable(name)}:-1}`).join(',')}`,
    ],
    'passwords of nats': requiredVariables(passwords.nats),
    'passwords of clickhouse': requiredVariables(passwords.clickhouse),
    'passwords of redis': requiredVariables(passwords.redis),
  },
  'docker-compose.tls.yml': { services: processNames.map((name) => `${name}: *process`) },
  '.env.example': {
    'passwords of nats': passwords.nats.map((name) => `${name}=`),
    'passwords of clickhouse': passwords.clickhouse.map((name) => `${name}=`),
    'passwords of redis': passwords.redis.map((name) => `${name}=`),
    replicas: processNames.map((name) => `#${replicasVariable(name)}=1`),
  },
  'deploy/observe/prometheus.yml': { services: listed(processNames) },
  'deploy/observe/rules.yml': {
    services: processNames.map((name, at) => `${at === 0 ? '' : 'or '}absent(almanac_process_info{service="${name}"})`),
  },
  'ARCHITECTURE.md': { services: architectureRows() },
});

/** As prettier writes a table. */
const architectureRows = (): string[] => {
  const rows = [
    ['Service', 'It holds and answers'],
    ...processNames.map((name) => [`[${name}](services/${name}/README.md)`, serviceRows[name].holds]),
    ['[ingest](services/ingest/README.md)', 'imports and live capture; a program, not a server'],
  ] as const;
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[], filler: string): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, filler)).join(' | ')} |`;
  const [heading, ...others] = rows;
  return ['', line(heading, ' '), line(['', ''], '-'), ...others.map((row) => line(row, ' ')), ''];
};

/** What is made from the table of services, by path. */
export const serviceFiles = (): readonly [string, string][] => [
  ['k8s/chart/files/services.json', chartTable()],
  ['k8s/chart/values.schema.json', chartValuesSchema()],
  ...Object.entries(regions()).map(([path, made]): [string, string] => [path, withRegions(path, read(path), made)]),
];
