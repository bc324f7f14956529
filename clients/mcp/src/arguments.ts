import type { z } from 'zod';
import { ToolError } from './tool-errors.js';

/** Arguments of a call, and what was changed in them, for the agent. */
export interface Arguments<Value> {
  readonly value: Value;
  readonly notices: readonly string[];
}

/**
 * The arguments of a tool. A `limit` outside of its bounds is the nearest bound, with a notice. Throws a ToolError that
 * names every fault.
 */
export const argumentsOf = <Input extends z.ZodObject>(input: Input, given: unknown): Arguments<z.output<Input>> => {
  const first = input.safeParse(given);
  if (first.success) return { value: first.data, notices: [] };
  const bound = boundOfLimit(first.error.issues);
  if (bound !== undefined) {
    const second = input.safeParse({ ...(given as object), limit: bound.limit });
    if (second.success) return { value: second.data, notices: [bound.notice] };
  }
  throw new ToolError({
    code: 'invalid_arguments',
    detail: first.error.issues.map(textOf).join(' '),
    remedy: 'Correct the arguments, and call the tool again.',
  });
};

const boundOfLimit = (
  issues: readonly z.core.$ZodIssue[],
): { readonly limit: number; readonly notice: string } | undefined => {
  for (const issue of issues) {
    if (issue.path.join('.') !== 'limit') continue;
    if (issue.code === 'too_small') {
      return { limit: Number(issue.minimum), notice: `limit is ${issue.minimum}, its minimum.` };
    }
    if (issue.code === 'too_big') {
      return { limit: Number(issue.maximum), notice: `limit is ${issue.maximum}, its maximum.` };
    }
  }
  return undefined;
};

const textOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `There is no argument ${key}.`).join(' ');
  const [path, message] = [issue.path.join('.'), issue.message.replace(/^Invalid input: /, '')];
  if (message.endsWith('received undefined')) return `${path} is missing.`;
  if (issue.code === 'invalid_value') return `${path}: use one of ${issue.values.join(', ')}.`;
  return `${path === '' ? '' : `${path}: `}${message}.`;
};
