import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { processNames, serviceRows } from '@almanac/contracts';
import { z } from 'zod';
import { faultOf } from './kubernetes-schemas.js';
import { environmentOf, type KubernetesObject, named, podOf, profileNames, rendered } from './kubernetes.js';
import { podSecurityFaults } from './pod-security.js';
import { readText } from './repository.js';
import { assertConfigures } from './service-configs.js';

/** Each has an account and variables of its own. */
const processes = [...processNames, 'migrate', 'rebuild-catalogue', 'rebuild-exports'] as const;
const userOf: Readonly<Record<string, string>> = { 'rebuild-catalogue': 'catalog', 'rebuild-exports': 'export' };

const budgetOf = z.object({
  spec: z.object({
    maxUnavailable: z.int(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
  }),
});
const serviceOf = z.object({
  spec: z.object({ selector: z.record(z.string(), z.string()), ports: z.array(z.object({ targetPort: z.string() })) }),
});

/** Every Secret and key of a pod is on the page. */
const assertDocumented = async (objects: readonly KubernetesObject[], name: string): Promise<void> => {
  const page = await readText('docs/deploy.md');
  for (const one of podOf(objects, name).container.env) {
    if ('value' in one) {
      assert.doesNotMatch(one.name, /PASSWORD|SECRET|ACCESS_KEY/);
      continue;
    }
    const { name: secret, key } = one.valueFrom.secretKeyRef;
    const row = page.split('\n').find((line) => line.startsWith(`| \`${secret.replace('my-', 'almanac-')}\``)) ?? '';
    assert.ok(row.includes(`\`${key}\``), `${secret}/${key}`);
  }
};

for (const profile of profileNames) {
  describe(`the chart with ${profile === 'everything' ? 'every option' : `values-${profile}.yaml`}`, () => {
    let objects: KubernetesObject[] = [];
    before(async () => {
      objects = await rendered(profile);
    });

    it('is valid by the API of Kubernetes and its operators, without an unknown field', () => {
      assert.deepEqual(
        objects.map(faultOf).filter((fault) => fault !== null),
        [],
      );
    });

    it('has each object once', () => {
      const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      assert.deepEqual(
        names.filter((name, index) => names.indexOf(name) !== index),
        [],
      );
    });

    it('passes Pod Security restricted', () => {
      assert.deepEqual(podSecurityFaults(objects), []);
    });

    it('deploys every service', () => {
      const deployed = objects.filter(
        ({ kind, metadata }) =>
          (kind === 'Deployment' || kind === 'StatefulSet') && processNames.some((name) => name === metadata.name),
      );
      assert.deepEqual(deployed.map(({ metadata }) => metadata.name).toSorted(), [...processNames].toSorted());
    });

    for (const name of processes) {
      it(`gives ${name} all the variables it needs and no unknown one`, () => {
        const variables = environmentOf(objects, name);
        assertConfigures(name, variables);
        const user = userOf[name] ?? name;
        assert.equal(variables['NATS_USER'] ?? user, user);
        assert.equal(variables['CLICKHOUSE_USER'] ?? user, userOf[name] === undefined ? user : 'migrate');
        assert.equal(variables['REDIS_USER'] ?? user, user);
      });

      it(`gives ${name} an account without a token, and every secret from a Secret that docs/deploy.md names`, async () => {
        const { serviceAccountName } = podOf(objects, name);
        assert.equal(serviceAccountName, name);
        assert.equal(named(objects, 'ServiceAccount', name)['automountServiceAccountToken'], false);
        await assertDocumented(objects, name);
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

    it('mounts a volume for every folder of a service, which stays where the profile keeps it', () => {
      for (const name of processNames) {
        const { container, volumes, volumeClaimTemplates } = podOf(objects, name);
        const folder = container.env.find((one) => one.name === `${name.toUpperCase()}_FOLDER`);
        const paths = folder !== undefined && 'value' in folder ? [folder.value] : [];
        const mounts = container.volumeMounts.filter(({ mountPath }) => paths.includes(mountPath));
        assert.equal(mounts.length, serviceRows[name].folder === undefined ? 0 : 1, name);
        const claims = volumeClaimTemplates.map(({ metadata }) => metadata.name);
        for (const mount of mounts) {
          assert.ok(profile === 'small' ? volumes.some((one) => one.name === mount.name) : claims.includes(mount.name));
        }
      }
    });

    it('routes the gateway service to the port where the gateway listens', () => {
      const { spec } = serviceOf.parse(named(objects, 'Service', 'gateway'));
      const http = podOf(objects, 'gateway').container.ports.find((port) => port.name === spec.ports[0]?.targetPort);
      assert.equal(String(http?.containerPort), environmentOf(objects, 'gateway')['PORT']);
      assert.deepEqual(spec.selector, { 'app.kubernetes.io/name': 'gateway' });
    });

    it('pins the version or the digest of every image', () => {
      for (const name of processes)
        assert.match(podOf(objects, name).container.image, /\/\w+(?::\d+\.\d+\.\d+|@sha256:[0-9a-f]{64})$/);
    });
  });
}

describe('a check of the chart', () => {
  it('refuses a misspelt field, a missing field and a privilege', async () => {
    const objects = await rendered('large');
    const scaled = named(objects, 'ScaledObject', 'gateway');
    const { spec } = z.object({ spec: z.looseObject({}) }).parse(scaled);
    assert.match(faultOf({ ...scaled, spec: { ...spec, minReplicas: 3 } }) ?? '', /additional properties/);
    const deployment = named(objects, 'Deployment', 'gateway');
    assert.match(faultOf({ ...deployment, spec: {} }) ?? '', /required property 'selector'/);
    assert.match(faultOf({ ...deployment, apiVersion: 'apps/v1beta1' }) ?? '', /is of apps\/v1beta1/);
    const pod = { spec: { containers: [{ name: 'a', securityContext: { privileged: true } }], hostNetwork: true } };
    const [fault = ''] = podSecurityFaults([{ ...deployment, kind: 'Pod', ...pod }]);
    for (const field of ['hostNetwork', 'securityContext', 'privileged']) assert.ok(fault.includes(field), fault);
  });
});
