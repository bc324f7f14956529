import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { durables } from '@almanac/bus';
import { processNames, serviceRows } from '@almanac/contracts';
import { z } from 'zod';
import { faultOfTrigger } from './kubernetes-schemas.js';
import { type KubernetesObject, named, rendered } from './kubernetes.js';
import { parsePromql } from './observability-files.js';
import { readText } from './repository.js';

const target = z.object({ kind: z.string(), name: z.string() });
const scaled = z.object({
  spec: z.object({
    scaleTargetRef: target,
    minReplicaCount: z.int().min(2),
    maxReplicaCount: z.int(),
    triggers: z.array(z.object({ type: z.string(), metadata: z.record(z.string(), z.string()) })).min(1),
  }),
});
const autoscaler = z.object({
  spec: z.object({
    scaleTargetRef: target,
    minReplicas: z.int().min(2),
    maxReplicas: z.int(),
    metrics: z.tuple([z.object({ resource: z.object({ name: z.literal('cpu') }) })]),
  }),
});
const workload = z.object({ spec: z.looseObject({ template: z.unknown() }) });

/** A service with a folder keeps it, so that it is a StatefulSet. */
const kindOf = (name: (typeof processNames)[number]): string =>
  serviceRows[name].folder === undefined ? 'Deployment' : 'StatefulSet';

describe('the scaling of values-standard.yaml', () => {
  for (const name of processNames) {
    it(`follows the processor of ${name}, from two processes on`, async () => {
      const objects = await rendered('standard');
      const { spec } = autoscaler.parse(named(objects, 'HorizontalPodAutoscaler', name));
      assert.deepEqual(spec.scaleTargetRef, { kind: kindOf(name), name });
      assert.ok(spec.maxReplicas > spec.minReplicas);
      assert.equal(workload.parse(named(objects, kindOf(name), name)).spec['replicas'], undefined);
    });
  }
});

describe('an upgrade from values-standard.yaml to values-large.yaml', () => {
  it('changes no volume, which Kubernetes would refuse', async () => {
    const claims = async (profile: 'standard' | 'large') =>
      (await rendered(profile)).flatMap(({ kind, metadata, ...one }) => {
        if (kind === 'PersistentVolumeClaim') return [{ name: metadata.name, spec: one['spec'] }];
        if (kind !== 'StatefulSet') return [];
        return [{ name: metadata.name, spec: workload.parse(one).spec['volumeClaimTemplates'] }];
      });
    assert.ok((await claims('standard')).length > 2);
    assert.deepEqual(await claims('large'), await claims('standard'));
  });
});

describe('the scaling of values-large.yaml', () => {
  let objects: KubernetesObject[] = [];
  before(async () => {
    objects = await rendered('large');
  });
  const scaledOf = (name: string) => scaled.parse(named(objects, 'ScaledObject', name)).spec;

  for (const name of processNames) {
    it(`leaves the replicas of ${name} to KEDA, at least two`, () => {
      const { scaleTargetRef, maxReplicaCount, minReplicaCount, triggers } = scaledOf(name);
      assert.deepEqual(scaleTargetRef, { kind: kindOf(name), name });
      assert.ok(maxReplicaCount > minReplicaCount);
      assert.equal(workload.parse(named(objects, kindOf(name), name)).spec['replicas'], undefined);
      assert.deepEqual(
        triggers.map(faultOfTrigger).filter((fault) => fault !== null),
        [],
      );
    });
  }

  it('asks Prometheus for metrics that exist, by labels that the monitor of the chart sets', async () => {
    const dashboard = await readText('deploy/observe/dashboard.json');
    const queries = processNames
      .flatMap((name) => scaledOf(name).triggers)
      .flatMap(({ type, metadata }) => (type === 'prometheus' ? [metadata['query'] ?? ''] : []));
    assert.ok(queries.length >= 3);
    for (const query of queries) {
      const { metrics, matched } = parsePromql(query);
      for (const metric of metrics) assert.ok(dashboard.includes(metric), metric);
      assert.ok(query.includes('namespace="almanac"'), query);
      for (const { label } of matched) assert.ok(['namespace', 'pod', 'consumer'].includes(label), label);
    }
  });

  it('scales workers by the pending files of their shared durable consumer', () => {
    const [lag] = scaledOf('export').triggers;
    assert.equal(lag?.type, 'nats-jetstream');
    assert.equal(lag?.metadata['stream'], 'EVT_FILE');
    assert.equal(lag?.metadata['consumer'], durables.exportWorkers);
  });
});
