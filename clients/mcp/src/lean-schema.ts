import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A schema of a tool. Agents read the definitions of all tools in every conversation, so their JSON Schema has no words
 * that change nothing. The validation is that of zod.
 */
export const leanSchema = <Schema extends z.ZodType>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> => {
  const standard = schema['~standard'];
  return {
    '~standard': {
      version: 1,
      vendor: 'almanac',
      validate: (value) => standard.validate(value),
      jsonSchema: { input: () => jsonSchemaOf(schema, 'input'), output: () => jsonSchemaOf(schema, 'output') },
    },
  };
};

/** The same definition without its validation, for arguments that the tool checks itself with errors of its own. */
export const unchecked = ({ '~standard': standard }: StandardSchemaWithJSON): StandardSchemaWithJSON => ({
  '~standard': { ...standard, validate: (value) => ({ value }) },
});

const jsonSchemaOf = (schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> => {
  // The dialect is the default of the protocol.
  const { $schema: _, ...rest } = withoutExtras(z.toJSONSchema(schema, { io })) as Record<string, unknown>;
  return rest;
};

/** Rules of texts are in the message of a refusal. What allows everything has no meaning. */
const leftOut = ['additionalProperties', 'propertyNames', 'minLength', 'maxLength', 'pattern'];

const objects = JSON.stringify({ type: 'object' });

/** Merges `anyOf` of plain types. */
const withoutExtras = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutExtras);
  if (typeof value !== 'object' || value === null) return value;
  const { anyOf, ...rest } = value as Record<string, unknown>;
  // The words of a list are texts.
  const isWord = (key: string): boolean => key === 'type' && Array.isArray(rest['enum']);
  // Lists are of objects unless they say something else.
  const isOfObjects = (key: string, part: unknown): boolean => key === 'items' && JSON.stringify(part) === objects;
  const entries = Object.entries(rest)
    .map(([key, part]) => [key, withoutExtras(part)] as const)
    .filter(([key, part]) => !leftOut.includes(key) && !isWord(key) && !isOfObjects(key, part));
  const lean = Object.fromEntries(entries);
  if (anyOf === undefined) return lean;
  const parts = (anyOf as readonly unknown[]).map((part) => withoutExtras(part) as JsonSchema);
  const types = parts
    .map(({ type }) => type)
    .toSorted((one, other) => Number(one === 'null') - Number(other === 'null'));
  // Words of one type mean nothing for the others, so they can stand side by side.
  const isMergeable = types.every((type) => typeof type === 'string') && new Set(types).size === types.length;
  return isMergeable ? { ...lean, ...Object.assign({}, ...parts), type: types } : { ...lean, anyOf: parts };
};
