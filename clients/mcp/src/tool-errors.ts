import { AlmanacError, ApiError } from '@almanac/client';
import type { CallToolResult } from '@modelcontextprotocol/server';

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

/** An error that the agent can act on. It is text only: a structured result has to fit the schema of a success. */
export const errorResult = (error: AlmanacError): CallToolResult => {
  const { code, detail, remedy, request_id } = error;
  const facts = { code, detail, remedy: remedyText(remedy), request_id, ...moreOf(error) };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(facts) }] };
};

/** The client names its own options, which an agent does not have. */
const remedyText = (text: string): string =>
  text
    .replaceAll(/Raise (?:deadlineMs|timeoutMs if the network is slow)\./g, 'Call the tool again later.')
    .replaceAll('baseUrl', 'ALMANAC_BASE_URL');

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
