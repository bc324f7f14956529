import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { processNames } from '@almanac/contracts';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { z } from 'zod';
import { asJob, environmentOf, type KubernetesObject, named, podOf, rendered } from './kubernetes.js';
import { readText } from './repository.js';
import { assertConfigures } from './service-configs.js';

const models = {
  ConfigMap,
  CronJob,
  Deployment,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  ScaledObject,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
};
const isModel = (kind: string): kind is keyof typeof models => Object.hasOwn(models, kind);
const processes = [...processNames, 'migrate'] as const;

const assertValid = (objects: readonly KubernetesObject[], namespace: string | undefined): void => {
  for (const one of objects) {
    assert.ok(isModel(one.kind), one.kind);
    if (one.kind !== 'Namespace') assert.equal(one.metadata.namespace, namespace, one.metadata.name);
    const Model: new (data: never) => { validate(): void } = models[one.kind];
    const model = new Model(one as never);
    assert.doesNotThrow(() => model.validate(), `${one.kind} ${one.metadata.name}`);
  }
};

const folders = [
  { folder: 'k8s/base', namespace: undefined },
  { folder: 'k8s/overlays/dev', namespace: 'almanac-dev' },
  { folder: 'k8s/overlays/prod', namespace: 'almanac' },
  { folder: 'test/deploy/traced', namespace: 'almanac' },
] as const;

for (const { folder, namespace } of folders) {
  describe(`the output of kubectl for ${folder}`, () => {
    let objects: KubernetesObject[] = [];
    before(async () => {
      objects = await rendered(folder);
    });

    it('is valid by the API, all of it in one namespace', () => assertValid(objects, namespace));

    it('deploys every service and nothing else', () => {
      const deployed = objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
      assert.deepEqual(deployed.toSorted(), [...processNames].toSorted());
    });

    for (const name of processes) {
      it(`gives ${name} all the variables it needs and no unknown one`, () => {
        const variables = environmentOf(objects, name);
        assertConfigures(name, variables);
        assert.equal(variables['NATS_USER'] ?? name, name);
        assert.equal(variables['CLICKHOUSE_USER'] ?? name, name);
        assert.equal(variables['REDIS_USER'] ?? name, name);
      });

      it(`gives ${name} an account without a token, and every secret from a Secret that docs/deploy.md names`, async () => {
        const { serviceAccountName, container } = podOf(objects, name);
        assert.equal(serviceAccountName, name);
        assert.equal(named(objects, 'ServiceAccount', name)['automountServiceAccountToken'], false);
        const page = await readText('docs/deploy.md');
        for (const one of container.env) {
          if ('value' in one) {
            assert.doesNotMatch(one.name, /PASSWORD|SECRET|ACCESS_KEY/);
            continue;
          }
          const { secretKeyRef: secret } = one.valueFrom;
          const row = page.split('\n').find((line) => line.startsWith(`| \`${secret.name}\``)) ?? '';
          assert.ok(row.includes(`\`${secret.key}\``), `${secret.name}/${secret.key}`);
        }
      });
    }

    for (const name of processNames) {
      it(`probes the health of ${name}, spreads it, and lets one pod at a time be evicted`, () => {
        const { container, topologySpreadConstraints, labels } = podOf(objects, name);
        const { ports, startupProbe, livenessProbe, readinessProbe } = container;
        const health = ports.find((port) => port.name === 'health');
        assert.equal(String(health?.containerPort), environmentOf(objects, name)['HEALTH_PORT']);
        assert.ok(startupProbe !== undefined && livenessProbe !== undefined && readinessProbe !== undefined);
        assert.deepEqual(
          topologySpreadConstraints.map(({ topologyKey }) => topologyKey),
          ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'],
        );
        const budget = budgetOf.parse(named(objects, 'PodDisruptionBudget', name)).spec;
        assert.equal(budget.maxUnavailable, 1);
        assert.deepEqual(budget.selector.matchLabels, { 'app.kubernetes.io/name': labels['app.kubernetes.io/name'] });
      });
    }

    it('mounts a volume for every folder of a service, since the rest of its container is read-only', () => {
      const given = processNames.flatMap((name) => {
        const { container, volumes } = podOf(objects, name);
        const documented = container.env.flatMap((one) =>
          one.name.endsWith('_FOLDER') && 'value' in one ? [one.value] : [],
        );
        const mounts = container.volumeMounts.filter(({ mountPath }) => documented.includes(mountPath));
        assert.equal(mounts.length, documented.length, name);
        for (const mount of mounts) assert.ok(volumes.some((volume) => volume.name === mount.name));
        return documented;
      });
      assert.deepEqual(given, ['/var/lib/almanac', '/var/lib/almanac']);
    });

    it('routes the gateway service to the port where the gateway listens', () => {
      const { spec } = serviceOf.parse(named(objects, 'Service', 'gateway'));
      const http = podOf(objects, 'gateway').container.ports.find((port) => port.name === spec.ports[0]?.targetPort);
      assert.equal(String(http?.containerPort), environmentOf(objects, 'gateway')['PORT']);
      assert.deepEqual(spec.selector, { 'app.kubernetes.io/name': 'gateway' });
    });

    it('pins a version of every image', () => {
      for (const name of processes) assert.match(podOf(objects, name).container.image, /^almanac\/\w+:\d+\.\d+\.\d+$/);
    });
  });
}

const budgetOf = z.object({
  spec: z.object({
    maxUnavailable: z.int(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
  }),
});
const serviceOf = z.object({
  spec: z.object({ selector: z.record(z.string(), z.string()), ports: z.array(z.object({ targetPort: z.string() })) }),
});

const jobs = [
  { name: 'backup', image: 'operator', program: 'dist/almanac.js backup' },
  { name: 'rebuild-catalogue', image: 'catalog', program: 'dist/rebuild/main.js' },
  { name: 'rebuild-exports', image: 'export', program: 'dist/rebuild/main.js' },
] as const;

for (const { name, image, program } of jobs) {
  describe(`k8s/jobs/${name}`, () => {
    let own: KubernetesObject[] = [];
    /** With the maps of the base, which the Job reads. */
    let objects: KubernetesObject[] = [];
    before(async () => {
      own = await rendered(`k8s/jobs/${name}`);
      objects = [...own.map(asJob), ...(await rendered('k8s/base'))];
    });

    it('is valid by the API, in the namespace of k8s/overlays/prod', () => assertValid(own, 'almanac'));

    it('runs its program with all the variables it needs, and secrets that docs/deploy.md names', async () => {
      const { container } = podOf(objects, name);
      assert.match(container.image, new RegExp(`^almanac/${image}:\\d+\\.\\d+\\.\\d+$`));
      assert.ok(container.command?.join(' ').includes(program));
      assertConfigures(name, environmentOf(objects, name));
      const page = await readText('docs/deploy.md');
      for (const one of container.env) {
        if ('value' in one) continue;
        const { name: secret, key } = one.valueFrom.secretKeyRef;
        const row = page.split('\n').find((line) => line.startsWith(`| \`${secret}\``)) ?? '';
        assert.ok(row.includes(`\`${key}\``), `${secret}/${key}`);
      }
    });
  });
}
