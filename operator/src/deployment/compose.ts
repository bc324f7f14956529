import { type ProcessName, type ServiceRow, serviceRows } from '@almanac/contracts';

const required = (variable: string): string => `\${${variable}:?see .env.example}`;
const optional = (variable: string, fallback: string): string => `\${${variable}:-${fallback}}`;

const login = (server: string, name: string): string[] => [
  `${server}_USER: ${name}`,
  `${server}_PASSWORD: ${required(`${server}_PASSWORD_${name.toUpperCase()}`)}`,
];
const bucketKey = (prefix: string): string[] => [
  `S3_ACCESS_KEY_ID: ${required(`${prefix}_ACCESS_KEY_ID`)}`,
  `S3_SECRET_ACCESS_KEY: ${required(`${prefix}_SECRET_ACCESS_KEY`)}`,
];

const environmentOf = (name: ProcessName, row: ServiceRow): string[] => {
  const { uses, secrets = {}, settings = {}, port, folder } = row;
  return [
    ...login('NATS', name),
    ...(uses.includes('clickhouse') ? login('CLICKHOUSE', name) : []),
    ...(uses.includes('redis') ? login('REDIS', name) : []),
    ...(uses.includes('s3') ? bucketKey('S3') : []),
    ...(uses.includes('s3-slabs') ? bucketKey('S3_SLABS') : []),
    ...Object.entries(secrets).map(
      ([variable, { isOptional }]) =>
        `${variable}: ${isOptional === true ? optional(variable, '') : required(variable)}`,
    ),
    ...Object.entries(settings).map(([variable, fallback]) => `${variable}: ${optional(variable, fallback)}`),
    // Behind the balancer, which it leaves before it ends.
    ...(port === undefined
      ? []
      : ['HOST: 0.0.0.0', `PORT: '${port}'`, 'TRUST_PROXY: uniquelocal', "STOP_DELAY_MS: '2000'"]),
    ...(folder === undefined ? [] : [`${name.toUpperCase()}_FOLDER: /var/lib/almanac`]),
  ];
};

const sharedVariables = ({ uses, readsPlans }: ServiceRow): string => {
  const anchors = [
    '*process',
    ...(uses.includes('clickhouse') ? ['*clickhouse'] : []),
    ...(readsPlans ? ['*plans'] : []),
    ...(uses.includes('redis') ? ['*redis'] : []),
    ...(uses.some((server) => server.startsWith('s3')) ? ['*s3'] : []),
  ];
  return anchors.length === 1 ? '*process' : `[${anchors.join(', ')}]`;
};

/** A service of docker-compose.yml. Whoever has the key of export waits for the bucket and its policy. */
export const composeService = (name: ProcessName): string[] => {
  const row = serviceRows[name];
  const { uses, folder, memory } = row;
  return [
    `${name}:`,
    '  <<: *service',
    `  image: almanac/${name}`,
    `  deploy: { replicas: '${optional(replicasVariable(name), '1')}', resources: { limits: { memory: ${memory[1]}M } } }`,
    `  build: &${name}-build`,
    '    context: .',
    '    dockerfile: deploy/Dockerfile',
    `    args: { SERVICE: ${name}, NODE_IMAGE: '\${NODE_IMAGE:-node:24.21.0-bookworm-slim}' }`,
    '  environment:',
    `    <<: ${sharedVariables(row)}`,
    ...environmentOf(name, row).map((line) => `    ${line}`),
    // A volume without a name: each container has its own, and takes it along when it is replaced.
    ...(folder === undefined ? [] : [`  # ${folder.contents}.`, '  volumes: [/var/lib/almanac]']),
    '  depends_on:',
    '    nats: { condition: service_healthy }',
    ...(uses.includes('redis') ? ['    redis: { condition: service_healthy }'] : []),
    ...(uses.includes('clickhouse') ? ['    migrate: { condition: service_completed_successfully }'] : []),
    ...(uses.includes('s3') ? ['    bucket: { condition: service_completed_successfully }'] : []),
  ];
};

export const replicasVariable = (name: ProcessName): string => `${name.toUpperCase()}_REPLICAS`;

/** The passwords of the users of a server, for its container. */
export const passwordVariables = (server: string, users: readonly string[]): string[] =>
  users.map((user) => `${server}_PASSWORD_${user.toUpperCase()}`);

export const requiredVariables = (variables: readonly string[]): string[] =>
  variables.map((variable) => `${variable}: ${required(variable)}`);
