import { type Almanac, type CallOptions, isoSeconds } from '@almanac/client';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** What a tool may use. The client has the point in time of the server, so no tool can read past it. */
export interface ToolContext {
  readonly almanac: Almanac;
  /** The time that the whole server is pinned to. Undefined without ALMANAC_AS_OF. */
  readonly asOf: number | undefined;
  /** Ends with the request of the agent. */
  readonly call: CallOptions;
  /** Reports a share from 0 to 1, if the agent's program follows it. */
  progress(share: number, message: string): void;
}

export interface ToolResult<Data> {
  readonly data: Data;
  /** One or two sentences. */
  readonly text: string;
  readonly links?: readonly ContentBlock[];
}

export interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A strict object: an ignored argument, such as `as_of`, would answer another question. */
  readonly input: Input;
  readonly output: Output;
  /** Reads by default. */
  readonly spends?: boolean;
  run(input: z.output<Input>, context: ToolContext): Promise<ToolResult<z.input<Output>>>;
}

/** Infers the shapes of a tool from its schemas. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> => tool;

export const ticker = z.string().min(1).max(200);
/** Unix seconds or an ISO text. The API refuses milliseconds with a sentence that says so. */
export const timestamp = z.union([z.number().min(0), z.string()]).transform((given, context) => {
  const seconds = typeof given === 'number' ? given : isoSeconds(given);
  if (seconds !== undefined) return seconds;
  context.addIssue({ code: 'custom', message: 'Write the time as 2026-02-25T04:30:00Z, 2026-02-25 or Unix seconds' });
  return z.NEVER;
});
export const limitOf = (max: number, usual: number) => z.int().min(1).max(max).default(usual);

const row = z.record(z.string(), z.unknown());
export const item = row;
export const list = z.array(row);

/** In every result. */
export const dated = { as_of: z.number().nullable() };
/** In every result that can be a part. */
export const partial = { ...dated, truncated: z.boolean(), next: row.nullable() };

interface Part {
  readonly truncated: boolean;
  readonly next: z.output<typeof row> | null;
}

/** `next` has all arguments of the call that goes on. A result can be cut where no call goes on: its text says why. */
export const partOf = (next: Readonly<Record<string, unknown>> | null, truncated = next !== null): Part => ({
  truncated,
  next: next === null ? null : withoutUndefined(next),
});

const withoutUndefined = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The time that an answer is as of: that of the server, or that of a key with `as_of`. */
export const datedBy = (answer: { readonly as_of?: number | undefined }, context: ToolContext) => ({
  as_of: answer.as_of ?? context.asOf ?? null,
});

/**
 * The data are also in a text, because many programs pass only texts on to their model. The protocol recommends it.
 */
export const resultOf = <Data extends object>({ data, text, links = [] }: ToolResult<Data>): CallToolResult => {
  const structuredContent = data as Record<string, unknown>;
  const goesOn = (structuredContent['next'] ?? null) !== null;
  const hint = goesOn ? `${text} More follows: call the tool again with the arguments in \`next\`.` : text;
  return {
    structuredContent,
    content: [{ type: 'text', text: hint }, { type: 'text', text: JSON.stringify(data) }, ...links],
  };
};
