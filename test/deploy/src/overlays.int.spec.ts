import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { durables, userNames } from '@almanac/bus';
import { z } from 'zod';
import { environmentOf, type KubernetesObject, named, podOf, rendered } from './kubernetes.js';
import { readYaml } from './repository.js';
import { services } from './service-configs.js';

const scaled = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    scaleTargetRef: z.object({ name: z.string() }),
    minReplicaCount: z.int(),
    triggers: z.array(z.object({ type: z.string(), metadata: z.record(z.string(), z.string()) })),
  }),
});
const statefulSet = z.object({
  spec: z.object({
    serviceName: z.string(),
    template: z.object({
      spec: z.object({
        automountServiceAccountToken: z.literal(false),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.int().min(1) }),
        volumes: z.array(z.object({ configMap: z.object({ name: z.string() }) })).default([]),
        containers: z.tuple([
          z.object({
            image: z.string(),
            env: z.array(z.object({ name: z.string(), valueFrom: z.unknown().optional() })).default([]),
            ports: z.array(z.object({ containerPort: z.int() })),
            readinessProbe: z.object({}),
          }),
        ]),
      }),
    }),
  }),
});
const secretReference = z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) });

describe('k8s/overlays/prod', () => {
  let objects: KubernetesObject[] = [];
  before(async () => {
    objects = await rendered('k8s/overlays/prod');
  });
  const scaledOf = (name: string) => scaled.parse(named(objects, 'ScaledObject', name)).spec;

  it('contains no secret, only their names', () => {
    assert.deepEqual(
      objects.filter(({ kind }) => kind === 'Secret'),
      [],
    );
  });

  for (const name of ['gateway', 'timeseries', 'export']) {
    it(`leaves the replicas of ${name} to KEDA, at least two`, () => {
      const { scaleTargetRef, minReplicaCount } = scaledOf(name);
      assert.equal(scaleTargetRef.name, name);
      assert.ok(minReplicaCount >= 2);
      const { spec } = z.object({ spec: z.looseObject({}) }).parse(named(objects, 'Deployment', name));
      assert.equal(spec['replicas'], undefined);
    });
  }

  it('scales workers by the pending files of their shared durable consumer', () => {
    const [lag] = scaledOf('export').triggers;
    assert.equal(lag?.type, 'nats-jetstream');
    assert.equal(lag?.metadata['stream'], 'EVT_FILE');
    assert.equal(lag?.metadata['consumer'], durables.exportWorkers);
  });

  it('terminates TLS before the gateway, which trusts the ingress for the client address', () => {
    const ingress = z
      .object({ spec: z.object({ tls: z.array(z.object({ secretName: z.string() })).min(1) }) })
      .parse(named(objects, 'Ingress', 'gateway'));
    assert.ok(ingress.spec.tls[0]?.secretName);
    assert.ok(environmentOf(objects, 'gateway')['TRUST_PROXY']);
  });
});

describe('k8s/overlays/dev', () => {
  let objects: KubernetesObject[] = [];
  before(async () => {
    objects = await rendered('k8s/overlays/dev');
  });
  const servers = ['nats', 'clickhouse', 'redis', 's3'] as const;
  const podOfServer = (name: string) => statefulSet.parse(named(objects, 'StatefulSet', name)).spec.template.spec;

  for (const name of servers) {
    it(`runs ${name} as compose does, on the port that the services use`, async () => {
      const [compose] = z
        .array(z.object({ services: z.record(z.string(), z.object({ image: z.string() })) }))
        .parse(await readYaml('docker-compose.yml'));
      const { containers, volumes } = podOfServer(name);
      const [, image] = /^\$\{\w+:-(.+)\}$/.exec(compose?.services[name]?.image ?? '') ?? [];
      assert.equal(containers[0].image, image);
      const referenced = services.flatMap((service) => Object.values(environmentOf(objects, service)));
      const { containerPort } = containers[0].ports[0] ?? {};
      assert.ok(
        referenced.some((address) => address.includes(`${name}:${containerPort}`)),
        `${name}:${containerPort}`,
      );
      for (const { configMap } of volumes) named(objects, 'ConfigMap', configMap.name);
    });
  }

  it('has every secret that a pod uses, a different one for each login', () => {
    const referenced = [
      ...servers.flatMap((name) => podOfServer(name).containers[0].env.map(({ valueFrom }) => valueFrom)),
      ...services.flatMap((name) =>
        podOf(objects, name).container.env.map((one) => ('valueFrom' in one ? one.valueFrom : undefined)),
      ),
    ].filter((from) => from !== undefined);
    for (const { secretKeyRef } of referenced.map((from) => secretReference.parse(from))) {
      const { data } = z
        .object({ data: z.record(z.string(), z.string()) })
        .parse(named(objects, 'Secret', secretKeyRef.name));
      assert.ok(Object.hasOwn(data, secretKeyRef.key), `${secretKeyRef.name}/${secretKeyRef.key}`);
    }
    const logins = z
      .object({ data: z.record(z.string(), z.string()) })
      .parse(named(objects, 'Secret', 'almanac-nats')).data;
    assert.deepEqual(Object.keys(logins).toSorted(), [...userNames].toSorted());
    assert.equal(new Set(Object.values(logins)).size, userNames.length);
  });
});
