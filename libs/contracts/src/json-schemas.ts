import { z } from 'zod';
import { type KnownConstructs, lengthChecks, numberChecks, unknownConstruct } from './zod-constructs.js';

/** A JSON Schema 2020-12, or a reference to one. */
export type Schema = z.core.JSONSchema.BaseSchema;

/** Converts zod schemas to JSON Schemas. A schema with an id appears once, among the components. */
export interface Schemas {
  /** `input`: sent by a client, fields with a default are optional. `output`: received, they are present. */
  of(schema: z.ZodType, io: 'input' | 'output'): Schema;
  readonly components: ReadonlyMap<string, Schema>;
}

export const createSchemas = (): Schemas => {
  const components = new Map<string, Schema>();
  return {
    of: (schema, io) => {
      const { $schema: _draft, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override });
      for (const [name, definition] of Object.entries($defs)) components.set(name, withComponentRefs(definition));
      return withComponentRefs(root);
    },
    components,
  };
};

/** Rewrites zod's local references to references to the components. */
const withComponentRefs = (schema: Schema): Schema =>
  // A JSON Schema is JSON, and the replacement changes only the texts of its references.
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')) as Schema;

interface Converted {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: Schema;
  readonly path: readonly (string | number)[];
}

const override = ({ zodSchema, jsonSchema, path }: Converted): void => {
  refuseUnknown(zodSchema, path);
  removeRedundant(jsonSchema);
};

const numbers = [...numberChecks, '$ZodCheckMultipleOf'];

/** Constructs that zod converts without loss. It omits, for example, `.refine()` and the flags of a pattern. */
const expressible: KnownConstructs = {
  ZodObject: { options: ['shape', 'catchall'] },
  ZodRecord: { options: ['keyType', 'valueType'] },
  ZodArray: { options: ['element'], checks: lengthChecks },
  ZodTuple: { options: ['items', 'rest'] },
  ZodUnion: { options: ['options', 'inclusive'] },
  ZodDiscriminatedUnion: { options: ['options', 'discriminator', 'inclusive'] },
  ZodOptional: { options: ['innerType'] },
  ZodNullable: { options: ['innerType'] },
  ZodDefault: { options: ['innerType', 'defaultValue'] },
  ZodString: { checks: lengthChecks },
  ZodISODate: { options: ['format', 'pattern'] },
  ZodNumber: { checks: numbers },
  ZodNumberFormat: { options: ['format'], checks: numbers },
  ZodBoolean: {},
  ZodEnum: { options: ['entries'] },
  ZodLiteral: { options: ['values'] },
  ZodNull: {},
  ZodUnknown: {},
};

const refuseUnknown = (schema: z.core.$ZodType, path: readonly (string | number)[]): void => {
  const hasOtherKeys = schema instanceof z.ZodRecord && !(schema.keyType instanceof z.ZodString);
  const unknown = hasOtherKeys ? 'ZodRecord with keys other than strings' : unknownConstruct(schema, expressible);
  if (unknown === undefined) return;
  const at = path.length === 0 ? 'its root' : `"${path.join('.')}"`;
  throw new TypeError(
    `A documented schema uses ${unknown} at ${at}. The document might leave that rule out. ` +
      'Write the rule with constructs that json-schemas.ts lists, or list the construct there ' +
      'with a test that its JSON Schema accepts the same values.',
  );
};

/** Removes output of zod that a reader does not need. */
const removeRedundant = (jsonSchema: Schema): void => {
  // Any answer may get more fields, and unknown fields of a request are ignored.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // Every integer is a safe integer.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.format === 'date') delete jsonSchema.pattern;
};
