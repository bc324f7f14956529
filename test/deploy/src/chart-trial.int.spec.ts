import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { processNames, userNames } from '@almanac/contracts';
import { z } from 'zod';
import { environmentOf, type KubernetesObject, named, podOf, rendered, workloadsOf } from './kubernetes.js';
import { readYaml } from './repository.js';

const secretReference = z.object({
  secretKeyRef: z.object({ name: z.string(), key: z.string(), optional: z.boolean().default(false) }),
});
const limited = z.object({
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
});
const server = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        automountServiceAccountToken: z.literal(false),
        volumes: z.array(z.object({ configMap: z.object({ name: z.string() }) })),
        containers: z.tuple([
          limited.extend({
            image: z.string(),
            env: z.array(z.object({ name: z.string(), valueFrom: z.unknown().optional() })),
            ports: z.array(z.object({ containerPort: z.int() })),
            readinessProbe: z.object({}),
          }),
        ]),
      }),
    }),
  }),
});
const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      deploy: z.object({ resources: z.object({ limits: z.object({ memory: z.string() }) }) }),
    }),
  ),
});
const secretData = z.object({ data: z.record(z.string(), z.string()) });

describe('the servers of values-small.yaml', () => {
  let objects: KubernetesObject[] = [];
  let compose: z.infer<typeof composeFile>['services'] = {};
  before(async () => {
    objects = await rendered('small');
    compose = composeFile.parse((await readYaml('docker-compose.yml'))[0]).services;
  });
  const servers = ['nats', 'clickhouse', 'redis', 's3'] as const;
  const podOfServer = (name: string) => server.parse(named(objects, 'StatefulSet', name)).spec.template.spec;

  for (const name of servers) {
    it(`run ${name} as compose does, on the port that the services use`, () => {
      const { containers, volumes } = podOfServer(name);
      const [, image] = /^\$\{\w+:-(.+)\}$/.exec(compose[name]?.image ?? '') ?? [];
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

  it('have every secret that a pod uses, a different one for each login', () => {
    const referenced = [
      ...servers.flatMap((name) => podOfServer(name).containers[0].env.map(({ valueFrom }) => valueFrom)),
      ...[...processNames, 'migrate', 'bucket'].flatMap((name) =>
        podOf(objects, name).container.env.map((one) => ('valueFrom' in one ? one.valueFrom : undefined)),
      ),
    ].filter((from) => from !== undefined);
    for (const { secretKeyRef } of referenced.map((from) => secretReference.parse(from))) {
      if (secretKeyRef.optional) continue;
      const { data } = secretData.parse(named(objects, 'Secret', secretKeyRef.name));
      assert.ok(Object.hasOwn(data, secretKeyRef.key), `${secretKeyRef.name}/${secretKeyRef.key}`);
    }
    const logins = secretData.parse(named(objects, 'Secret', 'almanac-nats')).data;
    assert.deepEqual(Object.keys(logins).toSorted(), [...userNames].toSorted());
    assert.equal(new Set(Object.values(logins)).size, userNames.length);
    // Letters only: nats-server reads others as configuration.
    for (const value of Object.values(logins)) assert.match(Buffer.from(value, 'base64').toString(), /^[A-Za-z]{40}$/);
  });

  it('run one process of each service', () => {
    for (const name of processNames) {
      const { spec } = z.object({ spec: z.object({ replicas: z.int() }) }).parse(named(objects, 'Deployment', name));
      assert.equal(spec.replicas, 1);
    }
  });

  it('run the migrations beside them, under a name that changes with their pod', () => {
    const [migrate] = workloadsOf(objects, 'migrate');
    assert.match(migrate?.metadata.name ?? '', /^migrate-[0-9a-f]{8}$/);
    assert.equal(migrate?.metadata.annotations['helm.sh/hook'], undefined);
  });

  it('give every container the memory that compose gives it', async () => {
    const all = [...(await rendered('standard')), ...objects, ...(await rendered('everything'))];
    const memoryOf = (name: string): string =>
      servers.some((one) => one === name)
        ? podOfServer(name).containers[0].resources.limits.memory
        : podOf(all, name === 'operator' ? 'backup' : name).container.resources.limits.memory;
    const ofOthers = ['balancer', 'prometheus', 'alertmanager', 'nats-exporter', 'redis-exporter', 'grafana'];
    for (const [name, { deploy }] of Object.entries(compose)) {
      const { memory } = deploy.resources.limits;
      assert.match(memory, /^[1-9]\d*[MG]$/, name);
      if (!ofOthers.includes(name)) assert.equal(`${memory}i`, memoryOf(name), name);
    }
  });
});
