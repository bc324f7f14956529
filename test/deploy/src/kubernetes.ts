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
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});
export type KubernetesObject = z.infer<typeof object>;

/** The values of an operator, and what a profile does not have: see test/deploy/values. */
const profiles = {
  small: ['k8s/chart/values-small.yaml'],
  standard: ['k8s/chart/values-standard.yaml', 'test/deploy/values/servers.yaml'],
  large: ['k8s/chart/values-large.yaml', 'test/deploy/values/servers.yaml'],
  /** Each option is on. */
  everything: ['k8s/chart/values-large.yaml', 'test/deploy/values/servers.yaml', 'test/deploy/values/everything.yaml'],
} as const;
export type Profile = keyof typeof profiles;
export const profileNames: readonly Profile[] = ['small', 'standard', 'large', 'everything'];

const namespace = 'almanac';
/** Helm tells of each file that is a link. */
const ofLinks = /^(?:level=INFO msg="|.*)found symbolic link in path.*\n/gm;

/** Runs `helm template` of the chart in the namespace `almanac`. Rejects with what Helm writes. */
export const template = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<KubernetesObject[]> => {
  const helm = await findBinary('helm');
  const all = ['template', 'almanac', join(repository, 'k8s/chart'), '--namespace', namespace, ...args];
  const { stdout, stderr } = await run(helm, all, {
    cwd: repository,
    env: { ...process.env, KUBECONFIG: '/dev/null', ...env },
    timeout: 60_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  const warnings = stderr.replaceAll(ofLinks, '');
  if (warnings !== '') throw new Error(warnings);
  const documents = parseAllDocuments(stdout, { uniqueKeys: true });
  if (!Array.isArray(documents)) throw new Error('the chart gives nothing');
  return documents.flatMap((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw new Error(fault.message);
    const one: unknown = document.toJS();
    return one === null ? [] : [object.parse(one)];
  });
};

export const valuesOf = (profile: Profile): readonly string[] =>
  profiles[profile].flatMap((file) => ['--values', file]);

const outputs = new Map<Profile, Promise<readonly KubernetesObject[]>>();

/** Every object that `helm install` would send with a profile. Made once. */
export const rendered = async (profile: Profile): Promise<KubernetesObject[]> => {
  const output = outputs.get(profile) ?? template(valuesOf(profile));
  outputs.set(profile, output);
  return [...(await output)];
};

const cronJob = z.object({
  kind: z.literal('CronJob'),
  spec: z.object({ jobTemplate: z.object({ spec: z.unknown() }) }),
});
/** The Job that a CronJob creates. Any other object is returned as it is. */
const asJob = <One extends object>(one: One): One => {
  const { success, data } = cronJob.safeParse(one);
  return success ? { ...one, kind: 'Job', spec: data.spec.jobTemplate.spec } : one;
};

const reference = z.strictObject({ name: z.string(), key: z.string(), optional: z.literal(true).optional() });
const variable = z.union([
  z.strictObject({ name: z.string(), value: z.string() }),
  z.strictObject({ name: z.string(), valueFrom: z.strictObject({ secretKeyRef: reference }) }),
]);
const port = z.strictObject({ name: z.string(), containerPort: z.int() });
const probe = (path: string) => z.object({ httpGet: z.object({ path: z.literal(path), port: z.literal('health') }) });
const container = z.object({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).default([]),
  ports: z.array(port).default([]),
  envFrom: z.array(z.strictObject({ configMapRef: z.strictObject({ name: z.string() }) })).default([]),
  env: z.array(variable).default([]),
  startupProbe: probe('/livez').optional(),
  livenessProbe: probe('/livez').optional(),
  readinessProbe: probe('/readyz').optional(),
  resources: z.object({
    requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
    limits: z.strictObject({ memory: z.string() }),
  }),
  volumeMounts: z
    .array(z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true).optional() }))
    .default([]),
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true) }),
});
export type Container = z.infer<typeof container>;
const pod = z.object({
  serviceAccountName: z.string(),
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  terminationGracePeriodSeconds: z.int().min(11).optional(),
  topologySpreadConstraints: z.array(z.object({ topologyKey: z.string() })).default([]),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
  containers: z.tuple([container]),
});
const claim = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ resources: z.object({ requests: z.object({ storage: z.string() }) }) }),
});
const workload = z.object({
  spec: z.object({
    template: z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }), spec: pod }),
    volumeClaimTemplates: z.array(claim).default([]),
  }),
});

const kinds = /^(?:Deployment|StatefulSet|Job|CronJob)$/;
const nameLabel = 'app.kubernetes.io/name';

/** The workloads of Almanac's images with this label `name`, a CronJob as its Job. */
export const workloadsOf = (objects: readonly KubernetesObject[], name: string): KubernetesObject[] =>
  objects.filter(({ kind, metadata }) => kinds.test(kind) && metadata.labels[nameLabel] === name).map(asJob);

/** The pod of a workload with an Almanac image. Throws when it lacks one of the common guarantees. */
export const podOf = (objects: readonly KubernetesObject[], name: string) => {
  const [found] = workloadsOf(objects, name);
  const { template: made, volumeClaimTemplates } = workload.parse(found, {
    error: () => `there is no workload ${name}, or it has another form: ${JSON.stringify(found)}`,
  }).spec;
  return { ...made.spec, labels: made.metadata.labels, container: made.spec.containers[0], volumeClaimTemplates };
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
  const maps = envFrom.map(({ configMapRef }) => withData.parse(named(objects, 'ConfigMap', configMapRef.name)).data);
  const own = env.map((one) => [one.name, 'value' in one ? one.value : givenSecret]);
  return environment.parse(Object.assign({}, ...maps, Object.fromEntries(own)));
};

/** The labels of the pods of a workload, also of a server's. */
export const podLabels = (objects: readonly KubernetesObject[], name: string): Readonly<Record<string, string>> => {
  const [found] = workloadsOf(objects, name);
  const form = z.object({ spec: z.object({ template: z.object({ metadata: z.object({ labels: environment }) }) }) });
  return form.parse(found, { error: () => `there is no workload ${name}` }).spec.template.metadata.labels;
};
