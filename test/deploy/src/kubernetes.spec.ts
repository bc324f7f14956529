import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { z } from 'zod';
import { environment, givenSecret, readText, readYaml, type Environment } from './repository.js';
import { assertConfigures, services } from './service-configs.js';

const kustomization = z.object({ resources: z.array(z.string()), images: z.array(z.object({ name: z.string() })) });
const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
type KubernetesObject = z.infer<typeof object>;

const reference = z.strictObject({ name: z.string(), key: z.string() });
const variable = z.union([
  z.strictObject({ name: z.string(), value: z.string() }),
  z.strictObject({ name: z.string(), valueFrom: z.strictObject({ secretKeyRef: reference }) }),
]);
/** Strict, so that a misspelt guarantee is a fault and not ignored, as the API server would. */
const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).default([]),
  envFrom: z.array(z.strictObject({ configMapRef: z.strictObject({ name: z.string() }) })),
  env: z.array(variable),
  startupProbe: z.unknown().optional(),
  livenessProbe: z.object({ httpGet: z.object({ path: z.literal('/livez'), port: z.literal('health') }) }).optional(),
  readinessProbe: z.object({ httpGet: z.object({ path: z.literal('/readyz'), port: z.literal('health') }) }).optional(),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
    limits: z.strictObject({ memory: z.string() }),
  }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
});
const pod = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  restartPolicy: z.literal('OnFailure').optional(),
  terminationGracePeriodSeconds: z.int().min(11).optional(),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().min(1),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  containers: z.tuple([container]),
});
const workload = z.object({ spec: z.object({ template: z.object({ spec: pod }) }) });
const serviceObject = z.object({
  spec: z.object({ selector: z.record(z.string(), z.string()), ports: z.array(z.object({ targetPort: z.string() })) }),
});

const models = { Deployment, Job, ConfigMap, Service };
const isModel = (kind: string): kind is keyof typeof models => Object.hasOwn(models, kind);

describe('k8s/base', () => {
  let base: z.infer<typeof kustomization>;
  let objects: KubernetesObject[] = [];
  before(async () => {
    base = kustomization.parse((await readYaml('k8s/base/kustomization.yaml'))[0]);
    const files = await Promise.all(base.resources.map((path) => readYaml(`k8s/base/${path}`)));
    objects = files.flat().map((document) => object.parse(document));
  });

  const ofKind = (kind: string): KubernetesObject[] => objects.filter((one) => one.kind === kind);
  const containerOf = (name: string) => {
    const found = objects.find(({ kind, metadata }) => /Deployment|Job/.test(kind) && metadata.name === name);
    return workload.parse(found).spec.template.spec.containers[0];
  };
  const mapNamed = (name: string): Environment => {
    const found = ofKind('ConfigMap').find(({ metadata }) => metadata.name === name);
    return z.object({ data: environment }).parse(found, { error: () => `there is no ConfigMap ${name}` }).data;
  };

  it('holds objects that are valid by the API, without a namespace', () => {
    for (const one of objects) {
      assert.ok(isModel(one.kind), one.kind);
      assert.equal(one.metadata['namespace'], undefined);
      const model = new models[one.kind](one);
      assert.doesNotThrow(() => model.validate(), `${one.kind} ${one.metadata.name}`);
    }
  });

  it('deploys every service and the migration, and nothing else', () => {
    assert.deepEqual(
      ofKind('Deployment')
        .map(({ metadata }) => metadata.name)
        .toSorted(),
      [...services].toSorted(),
    );
    assert.deepEqual(
      ofKind('Job').map(({ metadata }) => metadata.name),
      ['migrate'],
    );
  });

  for (const name of [...services, 'migrate']) {
    it(`tells ${name} all it needs and nothing that it does not know`, () => {
      const { env, envFrom } = containerOf(name);
      const maps = envFrom.map(({ configMapRef }) => mapNamed(configMapRef.name));
      const own = env.map((one) => [one.name, 'value' in one ? one.value : secretFor(one.name)]);
      const variables = environment.parse(Object.assign({}, ...maps, Object.fromEntries(own)));
      assertConfigures(name, variables);
      assert.equal(variables['NATS_USER'] ?? name, name);
      assert.equal(variables['CLICKHOUSE_USER'] ?? name, name);
    });

    it(`takes every secret of ${name} from a Secret that k8s/README.md names`, async () => {
      const readme = await readText('k8s/README.md');
      for (const one of containerOf(name).env) {
        if ('value' in one) {
          assert.doesNotMatch(one.name, /PASSWORD|SECRET|ACCESS_KEY|REDIS_URL/);
          continue;
        }
        const { secretKeyRef: secret } = one.valueFrom;
        const row = readme.split('\n').find((line) => line.startsWith(`| \`${secret.name}\``)) ?? '';
        assert.ok(row.includes(`\`${secret.key}\``), `${secret.name}/${secret.key}`);
      }
    });
  }

  for (const name of services) {
    it(`asks ${name} for its health on the port where it answers`, () => {
      const { ports, env, startupProbe, livenessProbe, readinessProbe } = containerOf(name);
      const health = ports.find((port) => port.name === 'health');
      assert.equal(String(health?.containerPort), mapNamed('almanac')['HEALTH_PORT']);
      assert.ok(startupProbe !== undefined && livenessProbe !== undefined && readinessProbe !== undefined);
      assert.ok(env.length > 0);
    });
  }

  it('leads the service of the gateway to the port where it listens', () => {
    const [service] = ofKind('Service');
    const { spec } = serviceObject.parse(service);
    const { ports, env } = containerOf('gateway');
    const listens = env.find((one) => one.name === 'PORT');
    const http = ports.find((port) => port.name === spec.ports[0]?.targetPort);
    assert.equal(String(http?.containerPort), listens !== undefined && 'value' in listens ? listens.value : '');
    assert.deepEqual(spec.selector, { 'app.kubernetes.io/name': 'gateway' });
  });

  it('names a version for every image it runs', () => {
    const used = new Set([...services, 'migrate'].map((name) => containerOf(name).image));
    assert.deepEqual([...used].toSorted(), base.images.map(({ name }) => name).toSorted());
  });
});

const secretFor = (name: string): string => (name.endsWith('_URL') ? 'redis://:given@redis:6379' : givenSecret);
