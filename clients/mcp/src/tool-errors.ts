import { AlmanacError, ApiError, inWordsOf } from '@almanac/client';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { toolWording } from './wording.js';

/** A refusal of this server. What had an effect was undone, or is in the error. */
export class ToolError extends AlmanacError {
  override readonly name = 'ToolError';
  readonly more: Readonly<Record<string, unknown>>;

  constructor(facts: ConstructorParameters<typeof AlmanacError>[0], more: Readonly<Record<string, unknown>> = {}) {
    super(facts);
    this.more = more;
  }
}

const optionsMax = 10;

/** An error that the agent can act on, with the arguments that the tool has. It is text only: a structured result has to fit the schema of a success. */
export const errorResult = (error: AlmanacError, validKeys: readonly string[]): CallToolResult => {
  const { code, detail, remedy, request_id } = error;
  const [sentence, advice] = [detail, remedy].map((text) => inWordsOf(text, toolWording));
  const facts = { code, detail: sentence, remedy: advice, request_id, ...moreOf(error), valid_keys: validKeys };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(facts) }] };
};

const moreOf = (error: AlmanacError): Readonly<Record<string, unknown>> => {
  if (error instanceof ToolError) return error.more;
  if (!(error instanceof ApiError)) return {};
  const nearest = error.notices.flatMap((notice) => notice.nearest ?? []);
  const { options } = error.body;
  return {
    ...(error.retryAfter === null ? {} : { retry_after_s: error.retryAfter }),
    ...(nearest.length === 0 ? {} : { nearest }),
    ...(Array.isArray(options) ? { options: options.slice(0, optionsMax) as unknown[] } : {}),
  };
};

/** The message of an unknown error can have anything in it, so it goes to the log of whoever runs the server. */
export const unexpected = (cause: unknown): ToolError =>
  new ToolError({
    code: 'internal',
    detail: 'The MCP server failed to handle the call.',
    remedy: 'Look into its log, which is on its standard error.',
    cause,
  });
