import { z } from 'zod';

/**
 * What a reader of zod schemas understands, by the class of the schema, such as `ZodString`: the options of its
 * definition and the checks on it. Whatever is not listed is unknown, also what a later zod adds.
 */
export type KnownConstructs = Readonly<
  Record<string, { readonly options?: readonly string[]; readonly checks?: readonly string[] }>
>;

export const lengthChecks = ['$ZodCheckMinLength', '$ZodCheckMaxLength', '$ZodCheckLengthEquals'] as const;
/** The last is `.int()` on a `z.number()`. */
export const numberChecks = ['$ZodCheckGreaterThan', '$ZodCheckLessThan', 'ZodNumberFormat'] as const;

const optionsOfChecks: Readonly<Record<string, readonly string[]>> = {
  $ZodCheckMinLength: ['minimum'],
  $ZodCheckMaxLength: ['maximum'],
  $ZodCheckLengthEquals: ['length'],
  $ZodCheckGreaterThan: ['value', 'inclusive'],
  $ZodCheckLessThan: ['value', 'inclusive'],
  $ZodCheckMultipleOf: ['value'],
  ZodNumberFormat: ['format'],
};

/** Options that say what a schema is, or when zod stops, but not which values it accepts. */
const commonOptions = ['type', 'check', 'checks', 'abort'];

/** The `when` that zod itself gives to a check of a length; another one makes the check conditional. */
const defaultWhen = z.minLength(0)._zod.def.when;

const withoutClass = 'a check without a class';

/** The methods behind a class whose name does not tell them. */
const methods: Readonly<Record<string, string>> = {
  $ZodCheckOverwrite: '.trim(), .toLowerCase() or another .overwrite()',
  $ZodCheckGreaterThan: '.gt() or .gte()',
  $ZodCheckLessThan: '.lt() or .lte()',
  ZodCustom: '.refine() or z.custom()',
  ZodPipe: '.transform() or .pipe()',
  $ZodCheck: '.superRefine()',
  [withoutClass]: '.check()',
};

/** Names the first part of this schema that is not known, or returns undefined. It does not look into inner schemas. */
export const unknownConstruct = (schema: z.core.$ZodType, known: KnownConstructs): string | undefined => {
  const { def } = schema._zod;
  const name = constructOf(schema);
  const entry = known[name];
  if (entry === undefined) return labelled(name);
  const option = unknownOption(def, entry.options);
  if (option !== undefined) return `the option "${option}" of ${name}`;
  for (const check of def.checks ?? []) {
    const checkName = constructOf(check);
    if (entry.checks?.includes(checkName) !== true) return `${labelled(checkName)} on ${name}`;
    const checkOption = unknownOption(check._zod.def, optionsOfChecks[checkName]);
    if (checkOption !== undefined) return `the option "${checkOption}" of ${checkName} on ${name}`;
  }
  return undefined;
};

/** The first trait of a schema or a check is the class that made it. A check that is a plain function has no traits. */
const constructOf = ({ _zod }: z.core.$ZodType | z.core.$ZodCheck): string => {
  const traits: unknown = 'traits' in _zod ? _zod.traits : undefined;
  const first: unknown = traits instanceof Set ? traits.values().next().value : undefined;
  return typeof first === 'string' ? first : withoutClass;
};

const unknownOption = (definition: object, known: readonly string[] = []): string | undefined => {
  const options: [string, unknown][] = Object.entries(definition);
  return options.find(
    ([name, value]) =>
      value !== undefined &&
      !commonOptions.includes(name) &&
      !known.includes(name) &&
      !(name === 'when' && value === defaultWhen),
  )?.[0];
};

const labelled = (name: string): string => (methods[name] === undefined ? name : `${name}, which is ${methods[name]},`);
