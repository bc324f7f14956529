import { z } from 'zod';

/**
 * The zod constructs that a reader supports, by schema class such as `ZodString`: the options of its definition and
 * its checks. Everything else is unknown, including what a later zod adds.
 */
export type KnownConstructs = Readonly<
  Record<string, { readonly options?: readonly string[]; readonly checks?: readonly string[] }>
>;

export const lengthChecks = ['$ZodCheckMinLength', '$ZodCheckMaxLength', '$ZodCheckLengthEquals'] as const;
/** The last one is `.int()` on a `z.number()`. */
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

/** Options that define the kind of schema or when zod stops, but not the accepted values. */
const commonOptions = ['type', 'check', 'checks', 'abort'];

/** The default `when` of zod's length checks. Any other `when` makes the check conditional. */
const defaultWhen = z.minLength(0)._zod.def.when;

/** The methods behind classes with an unclear name. */
const methods: Readonly<Record<string, string>> = {
  $ZodCheckOverwrite: '.trim(), .toLowerCase() or another .overwrite()',
  $ZodCheckGreaterThan: '.gt() or .gte()',
  $ZodCheckLessThan: '.lt() or .lte()',
  ZodCustom: '.refine() or z.custom()',
  ZodPipe: '.transform() or .pipe()',
  $ZodCheck: '.superRefine()',
  Object: '.check()',
};

/** Returns the first unsupported construct of this schema, or undefined. It does not check inner schemas. */
export const unknownConstruct = (schema: z.core.$ZodType, known: KnownConstructs): string | undefined => {
  // Zod documents `_zod.def` for code that reads schemas.
  const { def } = schema._zod;
  const { name } = schema.constructor;
  const entry = known[name];
  if (entry === undefined) return labelled(name);
  const option = unknownOption(def, entry.options);
  if (option !== undefined) return `the option "${option}" of ${name}`;
  for (const check of def.checks ?? []) {
    const checkName = check.constructor.name;
    if (entry.checks?.includes(checkName) !== true) return `${labelled(checkName)} on ${name}`;
    const checkOption = unknownOption(check._zod.def, optionsOfChecks[checkName]);
    if (checkOption !== undefined) return `the option "${checkOption}" of ${checkName} on ${name}`;
  }
  return undefined;
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
