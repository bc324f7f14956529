import { type ProcessName, type ServiceRow, serviceRows } from '@almanac/contracts';

export const madeFromServices = '# Made by `npm run deploy:make` from libs/contracts/src/services.ts; do not edit.';

const indented = (spaces: number, lines: readonly string[]): string =>
  lines.map((line) => `${' '.repeat(spaces)}${line}\n`).join('');

const value = (name: string, text: string): string[] => [`- name: ${name}`, `  value: ${text}`];
const secret = (name: string, from: string, mayBeMissing = false): string[] => {
  const [secretName, key] = from.split('/');
  return [
    `- name: ${name}`,
    `  valueFrom: { secretKeyRef: { name: ${secretName}, key: ${key}${mayBeMissing ? ', optional: true' : ''} } }`,
  ];
};
const login = (server: string, name: string): string[] => [
  ...value(`${server}_USER`, name),
  ...secret(`${server}_PASSWORD`, `almanac-${server.toLowerCase()}/${name}`),
];
const bucketKey = (secretName: string): string[] => [
  ...secret('S3_ACCESS_KEY_ID', `${secretName}/access-key-id`),
  ...secret('S3_SECRET_ACCESS_KEY', `${secretName}/secret-access-key`),
];

const environmentOf = (name: ProcessName, { uses, secrets = {}, port, folder }: ServiceRow): string[] => [
  ...login('NATS', name),
  ...(uses.includes('clickhouse') ? login('CLICKHOUSE', name) : []),
  ...(uses.includes('redis') ? login('REDIS', name) : []),
  ...(uses.includes('s3') ? bucketKey('almanac-s3') : []),
  ...(uses.includes('s3-slabs') ? bucketKey('almanac-s3-slabs') : []),
  ...Object.entries(secrets).flatMap(([variable, { from, mayBeMissing }]) => secret(variable, from, mayBeMissing)),
  ...(port === undefined ? [] : httpEnvironment(port)),
  ...(folder === undefined ? [] : value(`${name.toUpperCase()}_FOLDER`, '/var/lib/almanac')),
];

const httpEnvironment = (port: number): string[] => [
  ...value('HOST', '0.0.0.0'),
  ...value('PORT', `'${port}'`),
  '# Longer than it takes until every load balancer knows that the pod is not ready.',
  ...value('STOP_DELAY_MS', "'4000'"),
];

const configMaps = ({ uses, readsPlans }: ServiceRow): string[] => [
  '- configMapRef: { name: almanac }',
  '- configMapRef: { name: almanac-traces, optional: true }',
  ...(uses.includes('clickhouse') ? ['- configMapRef: { name: almanac-clickhouse }'] : []),
  ...(uses.includes('redis') ? ['- configMapRef: { name: almanac-redis }'] : []),
  ...(readsPlans ? ['- configMapRef: { name: almanac-plans }'] : []),
  ...(uses.some((server) => server.startsWith('s3')) ? ['- configMapRef: { name: almanac-s3 }'] : []),
];

const labels = (name: string): string => `{ app.kubernetes.io/name: ${name}, app.kubernetes.io/part-of: almanac }`;

const spread = (name: string, topologyKey: string): string[] => [
  `- topologyKey: ${topologyKey}`,
  '  maxSkew: 1',
  '  whenUnsatisfiable: ScheduleAnyway',
  `  labelSelector: { matchLabels: { app.kubernetes.io/name: ${name} } }`,
];

const container = (name: ProcessName, row: ServiceRow): string[] => {
  const { port, folder, cpu, memory } = row;
  return [
    `- name: ${name}`,
    `  image: almanac/${name}`,
    '  ports:',
    ...(port === undefined ? [] : [`    - { name: http, containerPort: ${port} }`]),
    '    - { name: health, containerPort: 9090 }',
    '  envFrom:',
    ...configMaps(row).map((line) => `    ${line}`),
    '  env:',
    ...environmentOf(name, row).map((line) => `    ${line}`),
    ...(folder === undefined
      ? []
      : [
          `  # ${folder.contents}.`,
          '  volumeMounts:',
          `    - { name: ${folder.volume}, mountPath: /var/lib/almanac }`,
        ]),
    '  startupProbe:',
    '    httpGet: { path: /livez, port: health }',
    '    periodSeconds: 2',
    '    failureThreshold: 30',
    '  livenessProbe:',
    '    httpGet: { path: /livez, port: health }',
    '    timeoutSeconds: 3',
    '  readinessProbe:',
    '    httpGet: { path: /readyz, port: health }',
    '    periodSeconds: 5',
    '    timeoutSeconds: 3',
    '  resources:',
    `    requests: { cpu: ${cpu}m, memory: ${memory[0]}Mi }`,
    `    limits: { memory: ${memory[1]}Mi }`,
    '  securityContext:',
    '    allowPrivilegeEscalation: false',
    '    readOnlyRootFilesystem: true',
    '    capabilities: { drop: [ALL] }',
  ];
};

const volumes = ({ folder }: ServiceRow): string[] =>
  folder === undefined
    ? []
    : [
        'volumes:',
        `  - name: ${folder.volume}`,
        `    emptyDir: ${folder.sizeLimit === undefined ? '{}' : `{ sizeLimit: ${folder.sizeLimit} }`}`,
      ];

const httpService = (name: string): string => `---
apiVersion: v1
kind: Service
metadata:
  name: ${name}
  labels: ${labels(name)}
spec:
  selector: { app.kubernetes.io/name: ${name} }
  ports:
    - { name: http, port: 80, targetPort: http }
`;

/** k8s/base/<name>.yaml. */
export const kubernetesFile = (name: ProcessName): string => {
  const row = serviceRows[name];
  return `${madeFromServices}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: ${labels(name)}
spec:
  replicas: 2
  # One more, ready for some seconds, before one ends: test/e2e/src/faults/rolling-restart.full.spec.ts.
  minReadySeconds: 5
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels: { app.kubernetes.io/name: ${name} }
  template:
    metadata:
      labels: ${labels(name)}
    spec:
      serviceAccountName: ${name}
      automountServiceAccountToken: false
      enableServiceLinks: false
      # A service needs 10 s at most to end.
      terminationGracePeriodSeconds: 20
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        seccompProfile: { type: RuntimeDefault }
      topologySpreadConstraints:
${indented(8, [...spread(name, 'topology.kubernetes.io/zone'), ...spread(name, 'kubernetes.io/hostname')])}      containers:
${indented(8, container(name, row))}${indented(6, volumes(row))}${row.port === undefined ? '' : httpService(name)}---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
  labels: ${labels(name)}
automountServiceAccountToken: false
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: ${name}
  labels: ${labels(name)}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: { app.kubernetes.io/name: ${name} }
`;
};

/** A number of replicas for each Deployment, as a patch of kustomize. */
export const replicaPatch = (names: readonly string[], replicas: '1' | 'null'): string =>
  names
    .map(
      (name) => `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\nspec:\n  replicas: ${replicas}\n`,
    )
    .join('---\n');
