import type { Fault } from '../validation/fault.js';

const fixedOptions = ['streams', 'format', 'split', 'numbers', 'csv_formulas'] as const;

/** Options that a dataset fixes. They would have no effect beside it, so they are refused. */
export const checkOptions = (
  { dataset }: { readonly dataset?: string | null | undefined },
  sent: Readonly<Record<string, unknown>>,
): readonly Fault[] => {
  if (!dataset) return [];
  return fixedOptions
    .filter((name) => Object.hasOwn(sent, name))
    .map((name) => {
      const error = `a dataset has its own ${name}, so send dataset without it`;
      const loc = ['body', name];
      return { type: 'value_error', loc, msg: `Value error, ${error}`, input: sent[name], ctx: { error: {} } };
    });
};
