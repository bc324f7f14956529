import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { durables } from '@almanac/bus';
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';
import { processNames, serviceRows, userNames } from '@almanac/contracts';
import { asJob, environmentOf, type KubernetesObject, named, podOf, rendered } from './kubernetes.js';
import { type Labels, type NetworkPolicy, policiesIn, policiesOf } from './network-policies.js';
import { readYaml, repository } from './repository.js';

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
const secretReference = z.object({
  secretKeyRef: z.object({ name: z.string(), key: z.string(), optional: z.boolean().default(false) }),
});

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

  for (const name of processNames.filter((process) => serviceRows[process].isScaled === true)) {
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
      const referenced = processNames.flatMap((service) => Object.values(environmentOf(objects, service)));
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
      ...processNames.flatMap((name) =>
        podOf(objects, name).container.env.map((one) => ('valueFrom' in one ? one.valueFrom : undefined)),
      ),
    ].filter((from) => from !== undefined);
    for (const { secretKeyRef } of referenced.map((from) => secretReference.parse(from))) {
      if (secretKeyRef.optional) continue;
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

/** What KEDA publishes: the definition of a ScaledObject, and the parameters of each type of trigger. */
const published = z.object({
  scaledObject: z.looseObject({}),
  triggers: z.record(z.string(), z.looseObject({})),
});
const triggersOf = z.object({
  spec: z.object({ triggers: z.array(z.object({ type: z.string(), metadata: z.record(z.string(), z.string()) })) }),
});

/** An unknown field is an error, as for `kubectl apply --validate=strict`. */
const strict = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const isOpen = !('properties' in all) || 'additionalProperties' in all || all['type'] !== 'object';
  return isOpen ? all : { ...all, additionalProperties: false };
};

describe('the ScaledObjects of k8s/overlays/prod', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  let objects: KubernetesObject[] = [];
  let definition: z.infer<typeof published>;
  let isScaledObject: ValidateFunction;
  before(async () => {
    objects = (await rendered('k8s/overlays/prod')).filter(({ kind }) => kind === 'ScaledObject');
    const file = join(repository, 'test/deploy/fixtures/keda-2.20.2.json');
    definition = published.parse(JSON.parse(await readFile(file, 'utf8')));
    isScaledObject = ajv.compile({ ...z.looseObject({}).parse(strict(definition.scaledObject)) });
  });

  /** The API server checks the metadata of each object, not the definition. */
  const errorsOf = ({ metadata, ...one }: KubernetesObject): string | null => {
    assert.ok(metadata.name);
    return isScaledObject({ ...one, metadata: {} }) ? null : ajv.errorsText(isScaledObject.errors);
  };

  it('follow the definition of KEDA', () => {
    assert.equal(objects.length, 3);
    for (const one of objects) assert.equal(errorsOf(one), null, one.metadata.name);
  });

  it('have triggers with the parameters that KEDA reads', () => {
    for (const one of objects) {
      for (const { type, metadata } of triggersOf.parse(one).spec.triggers) {
        const isTrigger = ajv.compile(definition.triggers[type] ?? assert.fail(type));
        assert.ok(isTrigger(metadata), `${one.metadata.name}: ${type}: ${ajv.errorsText(isTrigger.errors)}`);
      }
    }
  });

  it('are refused with a misspelt field', () => {
    for (const [one] of [objects]) {
      const spec = z.looseObject({}).parse(one?.['spec']);
      const wrong = { ...(one ?? assert.fail()), spec: { ...spec, minReplicas: 3 } };
      assert.match(errorsOf(wrong) ?? '', /additional properties/);
    }
  });
});

const portOf = (address: string): number => {
  const { port, protocol } = new URL(address);
  return port === '' ? ({ 'https:': 443, 'http:': 80 }[protocol] ?? Number.NaN) : Number(port);
};

/** Indirect connections: the gateway follows signed links of export, and Stripe and receivers are outside the cluster. */
const alsoConnectsTo = (objects: readonly KubernetesObject[], name: string): number[] => {
  if (name === 'gateway') return [portOf(environmentOf(objects, 'export')['S3_ENDPOINT'] ?? '')];
  return name === 'commerce' || name === 'webhooks' ? [443] : [];
};

const jobs = ['backup', 'rebuild-catalogue', 'rebuild-exports'] as const;
/** The Jobs of k8s/jobs, which use the policies and the settings of the overlay. */
const jobObjects = async (): Promise<KubernetesObject[]> => {
  const all = await Promise.all(jobs.map((name) => rendered(`k8s/jobs/${name}`)));
  return all.flat().map(asJob);
};

const serverVariables = ['NATS_URL', 'CLICKHOUSE_URL', 'REDIS_URL', 'S3_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

for (const folder of ['k8s/base', 'k8s/overlays/dev', 'k8s/overlays/prod', 'test/deploy/traced']) {
  describe(`the network policies of ${folder}`, () => {
    let objects: KubernetesObject[] = [];
    let policies: NetworkPolicy[] = [];
    before(async () => {
      objects = [...(await rendered(folder)), ...(await jobObjects())];
      policies = policiesIn(objects);
    });
    const of = (labels: Labels) => policiesOf(policies, labels);

    for (const name of [...processNames, 'migrate', ...jobs]) {
      it(`let ${name} reach DNS and the servers in its environment, and nothing else`, () => {
        const mine = of(podOf(objects, name).labels);
        const denied = mine.find(({ metadata }) => metadata.name === 'almanac-nothing');
        assert.deepEqual(denied?.spec.policyTypes, ['Ingress', 'Egress']);
        const allowed = mine.flatMap(({ spec }) => spec.egress.flatMap((rule) => rule.ports.map(({ port }) => port)));
        const variables = environmentOf(objects, name);
        const toServers = serverVariables.flatMap((variable) =>
          variables[variable] === undefined ? [] : [portOf(variables[variable])],
        );
        const needed = new Set([53, ...toServers, ...alsoConnectsTo(objects, name)]);
        assert.deepEqual(
          [...new Set(allowed)].toSorted((one, other) => one - other),
          [...needed].toSorted((one, other) => one - other),
        );
      });

      if (name === 'webhooks') {
        it('let webhooks reach no private address by the port of receivers', () => {
          const toReceivers = of(podOf(objects, name).labels)
            .flatMap(({ spec }) => spec.egress)
            .filter((rule) => rule.ports.some(({ port }) => port === 443));
          assert.equal(toReceivers.length, 1);
          const [ipv4, ipv6] = (toReceivers[0]?.to ?? []).map(({ ipBlock }) => ipBlock);
          const withheld = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'];
          assert.deepEqual(ipv4, { cidr: '0.0.0.0/0', except: [...withheld, '192.168.0.0/16'] });
          assert.deepEqual(ipv6, { cidr: '2000::/3', except: [] });
        });
      }

      it(`admit to ${name} only the metrics collector${name === 'gateway' ? ' and clients' : ''}`, () => {
        const { labels, container } = podOf(objects, name);
        const open = of(labels).flatMap(({ spec }) => spec.ingress.flatMap((rule) => rule.ports ?? []));
        const health = 9090;
        const http = container.ports.find((port) => port.name === 'http')?.containerPort;
        const openPorts = http === undefined ? [health] : [http, health];
        assert.deepEqual(
          open.map(({ port }) => port).toSorted((one, other) => one - other),
          openPorts,
        );
      });
    }
  });
}
