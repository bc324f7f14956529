import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';
import type { KubernetesObject } from './kubernetes.js';
import { repository } from './repository.js';

/** The schemas of the kinds that the chart makes, of Kubernetes itself and of operators. */
const published = z.object({
  kinds: z.record(z.string(), z.object({ apiVersion: z.string(), schema: z.looseObject({}) })),
  $defs: z.record(z.string(), z.looseObject({})),
});
/** What KEDA publishes: the definition of a ScaledObject, and the parameters of each type of trigger. */
const publishedByKeda = z.object({
  scaledObject: z.looseObject({}),
  triggers: z.record(z.string(), z.looseObject({})),
});
const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(join(repository, 'test/deploy/fixtures', name), 'utf8'));

/** An unknown field is an error, as for `kubectl apply --validate=strict`. */
const strict = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const isOpen = !('properties' in all) || 'additionalProperties' in all || all['type'] !== 'object';
  return isOpen ? all : { ...all, additionalProperties: false };
};

const ajv = new Ajv({ strict: false, validateFormats: false });
const { kinds, $defs } = published.parse(fixture('kubernetes-1.37.json'));
const keda = publishedByKeda.parse(fixture('keda-2.20.2.json'));

const validators = new Map<string, ValidateFunction>();
const validatorOf = (kind: string): { readonly apiVersion: string; readonly isValid: ValidateFunction } => {
  const { apiVersion, schema } =
    kind === 'ScaledObject' ? { apiVersion: 'keda.sh/v1alpha1', schema: keda.scaledObject } : (kinds[kind] ?? {});
  if (schema === undefined || apiVersion === undefined) throw new Error(`there is no schema of ${kind}`);
  const isValid = validators.get(kind) ?? ajv.compile({ ...z.looseObject({}).parse(strict(schema)), $defs });
  validators.set(kind, isValid);
  return { apiVersion, isValid };
};

/** What an API server would refuse, or null. It checks the metadata of each object, of a custom one, too. */
export const faultOf = ({ metadata, ...one }: KubernetesObject): string | null => {
  const { apiVersion, isValid } = validatorOf(one.kind);
  if (one.apiVersion !== apiVersion) return `${one.kind} ${metadata.name} is of ${one.apiVersion}`;
  if (!/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(metadata.name)) return `${metadata.name} is no name`;
  return isValid({ ...one, metadata: {} }) ? null : `${one.kind} ${metadata.name}: ${ajv.errorsText(isValid.errors)}`;
};

/** What KEDA would refuse in a trigger, or null. */
export const faultOfTrigger = ({ type, metadata }: { type: string; metadata: unknown }): string | null => {
  const schema = keda.triggers[type];
  if (schema === undefined) return `there is no trigger ${type}`;
  const isValid = ajv.compile(schema);
  return isValid(metadata) ? null : `${type}: ${ajv.errorsText(isValid.errors)}`;
};
