import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBinary } from '@almanac/local-servers';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { environment, givenSecret, repository, type Environment } from './repository.js';

const run = promisify(execFile);

const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
  }),
});
export type KubernetesObject = z.infer<typeof object>;

const outputs = new Map<string, Promise<readonly KubernetesObject[]>>();

/** The output of `kubectl kustomize` for a folder: every object that `kubectl apply -k` would send. Made once. */
export const rendered = async (folder: string): Promise<KubernetesObject[]> => {
  const output = outputs.get(folder) ?? render(folder);
  outputs.set(folder, output);
  return [...(await output)];
};

const render = async (folder: string): Promise<readonly KubernetesObject[]> => {
  const kubectl = await findBinary('sid/kubectl');
  const { stdout, stderr } = await run(kubectl, ['kustomize', join(repository, folder)], {
    timeout: 60_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  // It warns of deprecated fields.
  if (stderr !== '') throw new Error(stderr);
  const documents = parseAllDocuments(stdout);
  if (!Array.isArray(documents)) throw new Error(`${folder} gives nothing`);
  return documents.map((document) => object.parse(document.toJS()));
};

const cronJob = z.object({
  kind: z.literal('CronJob'),
  spec: z.object({ jobTemplate: z.object({ spec: z.unknown() }) }),
});
/** The Job that a CronJob creates. Any other object is returned as it is. */
export const asJob = <One extends object>(one: One): One => {
  const { success, data } = cronJob.safeParse(one);
  return success ? { ...one, kind: 'Job', spec: data.spec.jobTemplate.spec } : one;
};

const reference = z.strictObject({ name: z.string(), key: z.string(), optional: z.literal(true).optional() });
const variable = z.union([
  z.strictObject({ name: z.string(), value: z.string() }),
  z.strictObject({ name: z.string(), valueFrom: z.strictObject({ secretKeyRef: reference }) }),
]);
const port = z.strictObject({ name: z.string(), containerPort: z.int() });
const resources = z.strictObject({
  requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
  limits: z.strictObject({ memory: z.string() }),
});
/** Strict, so that a misspelt field fails, as in the API server. */
const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  ports: z.array(port).default([]),
  envFrom: z.array(
    z.strictObject({ configMapRef: z.strictObject({ name: z.string(), optional: z.literal(true).optional() }) }),
  ),
  env: z.array(variable),
  startupProbe: z.unknown().optional(),
  livenessProbe: z.object({ httpGet: z.object({ path: z.literal('/livez'), port: z.literal('health') }) }).optional(),
  readinessProbe: z.object({ httpGet: z.object({ path: z.literal('/readyz'), port: z.literal('health') }) }).optional(),
  resources,
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string() })).default([]),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
});
export type Container = z.infer<typeof container>;
const pod = z.strictObject({
  serviceAccountName: z.string().optional(),
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  restartPolicy: z.enum(['OnFailure', 'Never']).optional(),
  terminationGracePeriodSeconds: z.int().min(11).optional(),
  topologySpreadConstraints: z.array(z.object({ topologyKey: z.string() })).default([]),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().min(1),
    runAsGroup: z.int().min(1).optional(),
    fsGroup: z.int().optional(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  // Only volumes that end with the pod, and that of backups: all data is elsewhere.
  volumes: z
    .array(
      z.union([
        z.strictObject({ name: z.string(), emptyDir: z.unknown() }),
        z.strictObject({
          name: z.string(),
          persistentVolumeClaim: z.strictObject({ claimName: z.literal('almanac-backups') }),
        }),
      ]),
    )
    .default([]),
  containers: z.tuple([container]),
});
const workload = z.object({
  spec: z.object({
    template: z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }), spec: pod }),
  }),
});

/** The pod of a Deployment or Job with an Almanac image. Throws when it lacks one of the common guarantees. */
export const podOf = (objects: readonly KubernetesObject[], name: string) => {
  const found = objects.find(({ kind, metadata }) => /^(Deployment|Job)$/.test(kind) && metadata.name === name);
  const { template } = workload.parse(found, { error: () => `there is no workload ${name}` }).spec;
  return { ...template.spec, labels: template.metadata.labels, container: template.spec.containers[0] };
};

export const named = (objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject => {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

const withData = z.object({ data: environment });

/** The environment of a pod's process, where each secret has some value. */
export const environmentOf = (objects: readonly KubernetesObject[], name: string): Environment => {
  const { env, envFrom } = podOf(objects, name).container;
  const isThere = (map: string): boolean =>
    objects.some(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === map);
  const maps = envFrom
    .filter(({ configMapRef }) => configMapRef.optional !== true || isThere(configMapRef.name))
    .map(({ configMapRef }) => withData.parse(named(objects, 'ConfigMap', configMapRef.name)).data);
  const own = env.map((one) => [one.name, 'value' in one ? one.value : givenSecret]);
  return environment.parse(Object.assign({}, ...maps, Object.fromEntries(own)));
};
