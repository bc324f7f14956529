import { z } from 'zod';

/** A JSON Schema 2020-12, or a reference to one. */
export type Schema = z.core.JSONSchema.BaseSchema;

/** Makes JSON Schemas of zod schemas; those with an id stand once, among the components. */
export interface Schemas {
  /** What a client sends (`input`: a default may be left out) or gets (`output`: it is there). */
  of(schema: z.ZodType, io: 'input' | 'output'): Schema;
  /** By name, those that were met so far. */
  readonly components: ReadonlyMap<string, Schema>;
}

export const createSchemas = (): Schemas => {
  const components = new Map<string, Schema>();
  return {
    of: (schema, io) => {
      const { $schema: _draft, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override: tidy });
      for (const [name, part] of Object.entries($defs)) components.set(name, aimed(part));
      return aimed(root);
    },
    components,
  };
};

/** References to what zod put beside the schema, as references to the components. */
const aimed = (schema: Schema): Schema =>
  // What came from JSON Schema is JSON, and stays the same JSON but for the texts of its references.
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')) as Schema;

/** Takes away what zod says and a reader does not need. */
const tidy = ({ jsonSchema }: { jsonSchema: Schema }): void => {
  // Fields may be added to any answer, and unknown ones of a request are ignored.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // Every integer is one that JavaScript can hold.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.format === 'date') delete jsonSchema.pattern;
};
