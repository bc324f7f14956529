import { readFileSync } from 'node:fs';
import { sharedData } from '@almanac/testing';
import { z } from 'zod';

const path = sharedData('../specs/stripe-fixtures.json');

/** Why the stand-in cannot run on this machine, or false; a test that needs it says so. */
export const fixturesMissing: string | false =
  path === undefined ? 'shared/specs is not beside the checkout, so the shapes of Stripe are not at hand' : false;

export type Wire = Record<string, unknown>;

const file = z.object({ resources: z.record(z.string(), z.record(z.string(), z.unknown())) });
let resources: Record<string, Wire> | undefined;

const resource = (kind: string): Wire => {
  if (path === undefined) throw new Error(String(fixturesMissing));
  resources ??= file.parse(JSON.parse(readFileSync(path, 'utf8'))).resources;
  const found = resources[kind];
  if (found === undefined) throw new Error(`Stripe has no resource ${kind}`);
  return found;
};

/**
 * A resource as Stripe writes it, with these fields in place of the sample's. A field that Stripe does not have is a
 * mistake of the stand-in, so it throws.
 */
export const shapeOf = (kind: string, fields: Wire): Wire => {
  const sample = resource(kind);
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(sample, name)) throw new Error(`a ${kind} of Stripe has no field ${name}`);
  }
  return { ...structuredClone(sample), ...fields };
};

export const listOf = (url: string, data: readonly Wire[]): Wire => ({ object: 'list', url, has_more: false, data });
