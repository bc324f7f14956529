import { readFileSync } from 'node:fs';
import { clickHouseServices } from '@almanac/clickhouse';
import { processNames, serviceRows, userNames, usersOf } from '@almanac/contracts';
import { redisUserNames } from '@almanac/redis';
import { composeService, passwordVariables, requiredVariables } from './compose.js';
import { kubernetesFile, madeFromServices, replicaPatch } from './kubernetes.js';
import { withRegions } from './regions.js';

const repository = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, repository), 'utf8');

const clickHouseUsers = ['migrate', ...clickHouseServices];
const passwords = {
  nats: passwordVariables('NATS', userNames),
  clickhouse: passwordVariables('CLICKHOUSE', clickHouseUsers),
  redis: passwordVariables('REDIS', redisUserNames),
};

const listed = (names: readonly string[]): string[] => names.map((name) => `- ${name}`);
const separated = (blocks: readonly (readonly string[])[]): string[] =>
  blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
const fromSecret = (server: string, users: readonly string[]): string[] =>
  users.flatMap((user) => [
    `- name: ${server.toUpperCase()}_PASSWORD_${user.toUpperCase()}`,
    `  valueFrom: { secretKeyRef: { name: almanac-${server}, key: ${user} } }`,
  ]);
const developmentOnly = (users: readonly string[]): string[] => users.map((user) => `- ${user}=developmentonly${user}`);

/** The regions of files that people write. */
const regions = (): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> => ({
  'docker-compose.yml': {
    services: separated(processNames.map(composeService)),
    'passwords of nats': requiredVariables(passwords.nats),
    'passwords of clickhouse': requiredVariables(passwords.clickhouse),
    'passwords of redis': requiredVariables(passwords.redis),
    volumes: processNames.filter((name) => serviceRows[name].folder !== undefined).map((name) => `${name}:`),
  },
  '.env.example': {
    'passwords of nats': passwords.nats.map((name) => `${name}=`),
    'passwords of clickhouse': passwords.clickhouse.map((name) => `${name}=`),
    'passwords of redis': passwords.redis.map((name) => `${name}=`),
  },
  'k8s/base/kustomization.yaml': {
    resources: listed(processNames.map((name) => `${name}.yaml`)),
    images: listed(processNames.map((name) => `{ name: almanac/${name}, newTag: ${version()} }`)),
  },
  'k8s/base/network.yaml': {
    services: listed(processNames),
    'users of clickhouse': listed(usersOf('clickhouse')),
    'users of redis': listed(usersOf('redis')),
    // The gateway reads files by signed links.
    'users of s3': listed(['gateway', ...usersOf('s3-slabs'), ...usersOf('s3')]),
  },
  'k8s/traces/network.yaml': { services: listed(processNames) },
  'k8s/overlays/dev/development-only-secrets/kustomization.yaml': {
    nats: developmentOnly(userNames),
    clickhouse: developmentOnly(clickHouseUsers),
    redis: developmentOnly(redisUserNames),
  },
  'k8s/overlays/dev/servers/nats.yaml': { passwords: fromSecret('nats', userNames) },
  'k8s/overlays/dev/servers/clickhouse.yaml': { passwords: fromSecret('clickhouse', clickHouseUsers) },
  'k8s/overlays/dev/servers/redis.yaml': { passwords: fromSecret('redis', redisUserNames) },
  'deploy/observe/prometheus.yml': { services: listed(processNames) },
  'deploy/observe/rules.yml': {
    services: processNames.map((name, at) => `${at === 0 ? '' : 'or '}absent(almanac_process_info{service="${name}"})`),
  },
  'ARCHITECTURE.md': { services: architectureRows() },
});

const version = (): string => /"version": "([^"]+)"/.exec(read('package.json'))?.[1] ?? '';

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
  ...processNames.map((name): [string, string] => [`k8s/base/${name}.yaml`, kubernetesFile(name)]),
  [
    'k8s/overlays/dev/one-of-each.yaml',
    `${madeFromServices}
# One server of NATS holds one copy, and one process of each service is enough for a trial.
apiVersion: v1
kind: ConfigMap
metadata:
  name: almanac
data:
  NATS_REPLICAS: '1'
  NATS_STORAGE_GB: '6'
---
${replicaPatch(processNames, '1')}`,
  ],
  [
    'k8s/overlays/prod/scaled.yaml',
    `${madeFromServices}
# KEDA sets their replicas (scaling.yaml). A number here would reset them at every apply.
${replicaPatch(
  processNames.filter((name) => serviceRows[name].isScaled === true),
  'null',
)}`,
  ],
  ...Object.entries(regions()).map(([path, made]): [string, string] => [path, withRegions(path, read(path), made)]),
];
