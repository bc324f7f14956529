import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** One fault in a mapping. `where` is its path, or for an unknown `key` the path of its parent. */
export interface MappingFault {
  readonly where: readonly PropertyKey[];
  readonly sentence: string;
  readonly key?: string;
}

/** The faults of `raw`, the parsed mapping, in words for its author. */
export const mappingFaults = (issues: readonly Issue[], raw: unknown): readonly MappingFault[] =>
  issues.flatMap((issue) => faultsOf(issue, { above: [], raw }));

interface Place {
  readonly above: readonly PropertyKey[];
  readonly raw: unknown;
}

/** A union only reports that no form fits. The form that fits best explains why. */
const faultsOf = (issue: Issue, { above, raw }: Place): readonly MappingFault[] => {
  const where = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const inside = where.length === 0 ? '' : ` in ${named(where)}`;
    return issue.keys.map((key) => ({ where, key, sentence: `unknown key ${key}${inside}` }));
  }
  if (issue.code === 'invalid_union') {
    const forms = issue.errors.map((form) => form.flatMap((inner) => faultsOf(inner, { above: where, raw })));
    const best = forms.toSorted((one, other) => weight(one, where) - weight(other, where))[0];
    if (best) return best;
  }
  return [{ where, sentence: `${named(where)} ${complaint(issue, valueAt(raw, where))}` }];
};

/** An unknown key or a different type weighs more than a wrong value: another form was meant. */
const weight = (form: readonly MappingFault[], union: readonly PropertyKey[]): number =>
  form.reduce((sum, { key, where }) => sum + (key !== undefined || where.length === union.length ? 10 : 1), 0);

const complaint = (issue: Issue, value: unknown): string => {
  if (value === undefined) return 'is missing';
  if (value === null) return 'is empty';
  if (issue.code === 'invalid_type') return expectedKind(issue.expected, value);
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  if (issue.code !== 'too_small') return issue.message;
  return issue.origin === 'number' || issue.origin === 'int' ? `must be at least ${issue.minimum}` : 'is empty';
};

const expectedKind = (expected: string, value: unknown): string => {
  if (expected === 'string') return `must be text${typeof value === 'object' ? '' : ' in quotes'}`;
  if (expected === 'int' || expected === 'number') return 'must be a whole number';
  return expected === 'array' ? 'must be a list' : 'must be a map of keys and values';
};

const named = (where: readonly PropertyKey[]): string => where.map(String).join('.') || 'the mapping';

const valueAt = (raw: unknown, where: readonly PropertyKey[]): unknown => {
  let found = raw;
  for (const step of where) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Object.getOwnPropertyDescriptor(found, step)?.value;
  }
  return found;
};
