import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';
import { type KubernetesObject, rendered } from './kubernetes.js';
import { repository } from './repository.js';

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
