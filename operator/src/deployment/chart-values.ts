import { processNames, serviceRows } from '@almanac/contracts';
import { z } from 'zod';
import { chartSecrets } from './chart-table.js';

const text = z.string();
const quantity = z.union([z.string().min(1), z.number()]);
const name = z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
/** What YAML reads as a number or a boolean is a text for a process. */
const variables = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.union([z.string(), z.number(), z.boolean()]));
const schedule = z.string().regex(/^(@\w+|\S+( \S+){4})$/);
/** Fields of Kubernetes' own API, which the API server checks. */
const ofKubernetes = z.record(z.string(), z.unknown());
const peers = z.array(ofKubernetes);
const labels = z.record(z.string(), z.string());
const amounts = z.strictObject({ cpu: quantity, memory: quantity }).partial();
const resources = z.strictObject({ requests: amounts, limits: amounts }).partial();
const scheduling = z
  .strictObject({ nodeSelector: labels, tolerations: peers, affinity: ofKubernetes, priorityClassName: text })
  .partial()
  .describe('nodes of the pods');
const storageClass = text.describe('empty: the default of the cluster');
const persistence = z.strictObject({
  enabled: z.boolean().describe('keep the folder on a volume, so that a restart finds it'),
  size: quantity,
  storageClass,
});
const scaling = z.strictObject({
  least: z.int().min(1).describe('processes'),
  most: z.int().min(1),
  cpu: z.int().min(1).max(100).optional().describe('percent of the reserved processor'),
  query: text.optional().describe('KEDA: PromQL whose value is divided by the threshold'),
  consumer: z
    .strictObject({ stream: text, name: text })
    .optional()
    .describe('KEDA: consumer of NATS whose pending messages are divided by the threshold'),
  threshold: z.number().positive().optional().describe('what one process can hold'),
});
const service = z.strictObject({
  replicas: z.int().min(1).describe('processes without autoscaling'),
  env: variables.describe('variables of docs/deploy.md'),
  resources: resources.describe('empty: those of libs/contracts/src/services.ts'),
  scheduling,
  scaling,
});
const services = z.strictObject(
  Object.fromEntries(
    processNames.map((one) => [one, serviceRows[one].folder === undefined ? service : service.extend({ persistence })]),
  ),
);

const place = z.strictObject({
  endpoint: text.optional().describe('of a store other than Amazon’s'),
  region: text.optional(),
  existingSecret: name
    .optional()
    .describe('has access-key-id and secret-access-key. Without it, requests have no signature'),
});
const imported = z.strictObject({
  paths: z.array(text).min(1).describe('files and folders in the volume, or places: s3://bucket/prefix'),
  schedule: schedule.optional().describe('of a CronJob. Without it, you create a Job from it'),
  volume: z.strictObject({ existingClaim: name, mountPath: text }).optional(),
  s3: place.optional(),
  mapping: text.optional().describe('the text of a mapping'),
  arguments: z.array(text).optional().describe('further arguments of the import, such as --sample'),
  env: variables.optional(),
  resources: resources.optional(),
});
const captured = z.strictObject({
  series: z.record(
    z.string().regex(/^[A-Za-z0-9_-]{1,120}$/),
    z.strictObject({ sample: text, size: quantity }).partial(),
  ),
  existingSecret: name.optional().describe('has the keys of secretVariables'),
  secretVariables: z.record(z.string(), z.string()).optional().describe('variables of the venue from that Secret'),
  env: variables.optional(),
});

const trialServer = z.strictObject({ image: text, resources });
const secretNames = [...Object.keys(chartSecrets()), 'nats-tls', 'tls'];
const issuerRef = z.strictObject({ kind: text, name: text, group: text.optional() });

const values = z.strictObject({
  global: ofKubernetes.optional().describe('of the chart that contains this one'),
  image: z.strictObject({
    registry: text.describe('what stands before the name of an image'),
    tag: text.describe('empty: the version of the chart'),
    pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
    digests: z.record(z.string(), z.string().regex(/^sha256:[0-9a-f]{64}$/)).describe('by name, in place of the tag'),
  }),
  imagePullSecrets: z.array(z.strictObject({ name })),
  nats: z.strictObject({
    url: text.describe('addresses of the servers, separated by commas'),
    replicas: z.int().min(1).max(5).describe('copies of each stream'),
    storageGb: z.number().positive().describe('at most max_file_store of the servers'),
    partitions: z.int().min(1).describe('see docs/scaling.md; choose it before the first start'),
    tls: z.strictObject({
      enabled: z.boolean().describe('the authority of NATS is in the Secret nats-tls'),
      required: z.boolean().describe('false: TLS is used once the servers offer it'),
      clientCertificate: z.boolean().describe('the pods show the certificate of the Secret nats-tls'),
      certificate: z.strictObject({
        enabled: z.boolean().describe('a Certificate of cert-manager into the Secret nats-tls'),
        issuerRef,
      }),
    }),
  }),
  clickhouse: z.strictObject({
    url: text,
    database: text,
    cluster: text.describe('a cluster in remote_servers, or cloud. Empty: one server'),
  }),
  redis: z.strictObject({ url: text, ca: text.describe('certificates of an authority of your own, in PEM form') }),
  s3: z.strictObject({
    endpoint: text,
    publicUrl: text.describe('where clients reach the store. Empty: as the services do'),
    region: text,
    bucket: text,
  }),
  existingSecrets: z
    .strictObject(Object.fromEntries(secretNames.map((one) => [one, name])))
    .partial()
    .describe('names of Secrets that exist. Default: almanac-<name>'),
  generateSecrets: z.boolean().describe('make Secrets with random values once. An upgrade keeps them'),
  externalSecrets: z.strictObject({
    enabled: z.boolean().describe('an ExternalSecret for each Secret'),
    secretStoreRef: z.strictObject({ kind: z.enum(['SecretStore', 'ClusterSecretStore']), name: text }),
    prefix: text.describe('before the name of the Secret, in the store'),
    refreshInterval: text,
  }),
  env: variables.describe('variables of all processes'),
  planTerms: text.describe('JSON laid over the default plans'),
  traces: z.strictObject({ endpoint: text, sampler: text, samplerArgument: z.union([text, z.number()]) }),
  services,
  autoscaling: z.enum(['none', 'hpa', 'keda']),
  keda: z.strictObject({ prometheus: text, natsMonitoring: text }),
  migrations: z.strictObject({ resources }),
  rebuilds: z.strictObject({ resources }),
  operator: z.strictObject({ enabled: z.boolean().describe('a pod for the command almanac'), resources }),
  backup: z.strictObject({
    enabled: z.boolean(),
    schedule,
    keep: z.array(text).min(2).describe('rules of almanac backup expire'),
    existingClaim: text,
    size: quantity,
    storageClass,
    accessModes: z.array(text).min(1),
    resources,
  }),
  restore: z.strictObject({
    from: z
      .string()
      .regex(/^[\w.-]*$/)
      .describe('the folder of a backup. While it is set, no service runs'),
    acceptLostSecrets: z.boolean(),
  }),
  ingest: z.strictObject({
    imports: z.record(z.string().regex(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/), imported),
    homeSize: quantity.describe('volume of a CronJob, with what it has read'),
    temporarySize: quantity,
    storageClass,
    scheduling,
    resources,
  }),
  capture: z.strictObject({
    venues: z.record(z.string().regex(/^[a-z0-9]+$/), captured),
    size: quantity.describe('volume of recordings of each series'),
    storageClass,
    scheduling,
    resources,
  }),
  ingress: z.strictObject({
    enabled: z.boolean(),
    className: text,
    hosts: z.array(z.string().min(1)),
    tls: z.boolean(),
    annotations: labels,
  }),
  httpRoute: z.strictObject({ enabled: z.boolean(), parentRefs: peers, hostnames: z.array(z.string().min(1)) }),
  certificate: z.strictObject({
    enabled: z.boolean().describe('a Certificate of cert-manager into the Secret tls'),
    issuerRef,
  }),
  trustProxy: text,
  networkPolicies: z.strictObject({
    enabled: z.boolean(),
    monitoringNamespace: labels,
    clients: peers,
    servers: z.partialRecord(
      z.enum(['nats', 'clickhouse', 'redis', 's3', 'traces']),
      z.strictObject({ to: peers, morePorts: z.array(z.int()) }).partial(),
    ),
    places: peers,
  }),
  monitoring: z.strictObject({
    interval: text,
    runbooks: text.describe('where docs/runbooks is, for the links of alerts'),
    labels,
    podMonitor: z.strictObject({ enabled: z.boolean() }),
    serviceMonitor: z.strictObject({ enabled: z.boolean() }),
    rules: z.strictObject({ enabled: z.boolean() }),
    dashboard: z.strictObject({ enabled: z.boolean(), labels }),
  }),
  podAnnotations: labels,
  serviceAccountAnnotations: z.record(z.string(), labels),
  scheduling,
  trialServers: z.strictObject({
    enabled: z.boolean(),
    storageClass,
    nats: trialServer.extend({ size: quantity }),
    clickhouse: trialServer.extend({ size: quantity }),
    redis: trialServer,
    s3: trialServer.extend({ size: quantity }),
  }),
});

/** k8s/chart/values.schema.json: Helm refuses other values. Helm before 3.18 knows no later draft than this one. */
export const chartValuesSchema = (): string =>
  `${JSON.stringify(z.toJSONSchema(values, { target: 'draft-7', reused: 'ref' }), undefined, 2)}\n`;
