import { readFileSync } from 'node:fs';
import { Almanac, AlmanacError } from '@almanac/client';
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { argumentsOf } from './arguments.js';
import { leanSchema, unchecked } from './lean-schema.js';
import { resultOf, type Tool } from './tool.js';
import { errorResult, unexpected } from './tool-errors.js';
import { toolWording } from './wording.js';
import { getEvent, getMarket, search } from './tools/catalogue.js';
import { coverage } from './tools/coverage.js';
import { createExport, getExport, quoteExport } from './tools/exports.js';
import { bookAt, eventOnOneClock, getCandles } from './tools/prices.js';

export interface ServerOptions {
  readonly baseUrl: string | undefined;
  /** Of the caller. */
  readonly apiKey: string | undefined;
  /** The time that all calls are pinned to. */
  readonly asOf: number | undefined;
  /** Gets what agents do not: the reasons of unexpected errors. */
  readonly log: (line: string) => void;
}

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

/** Programs of agents give up after 60 seconds, and an error is more useful than none. */
const callMs = 50_000;
const retriesMax = 3;

const instructions = (asOf: number | undefined): string =>
  [
    'Almanac is an archive of prediction markets (Kalshi, Polymarket): prices, order books, trades and settlements.',
    'Times are Unix seconds; arguments can also be ISO texts, which are UTC without a zone. Prices are fractions of 1. Null means unknown, never zero.',
    'If `truncated` is true, call the same tool with the arguments in `next` to go on.',
    'Start with search. Check coverage before you rely on prices: a gap is missing data, not a calm market.',
    asOf === undefined
      ? 'Answers are as of now.'
      : `Answers are as the archive was known at ${asOf} (${new Date(asOf * 1_000).toISOString()}). Nothing later can be read.`,
  ].join('\n');

/** An MCP server for one caller. */
export const almanacServer = (options: ServerOptions): McpServer => {
  const { asOf } = options;
  // Throws for a key or an address that cannot work.
  clientOf(options, () => undefined);
  const capabilities = { tools: { listChanged: false } };
  const server = new McpServer({ name: 'almanac', version }, { capabilities, instructions: instructions(asOf) });
  const add = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): void => {
    const { name, title, description, input, output, spends = false } = tool;
    const annotations = spends
      ? { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
      : { readOnlyHint: true };
    const definition = {
      title,
      description,
      inputSchema: unchecked(leanSchema(input)),
      outputSchema: leanSchema(output),
      annotations,
    };
    server.registerTool(name, definition, async (args, context) => {
      const { signal } = context.mcpReq;
      const validKeys = Object.keys(input.shape);
      try {
        const progress = progressOf(context, options);
        const { value, notices } = argumentsOf(input, args);
        const notes = new Set(notices);
        const almanac = clientOf(options, (detail) => notes.add(detail));
        const result = await tool.run(value, { almanac, asOf, call: { signal }, progress });
        const more = [...notes].filter((notice) => !result.text.includes(notice));
        return resultOf({ ...result, text: [result.text, ...more].join(' ') });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AlmanacError) return errorResult(error, validKeys);
        options.log(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        return errorResult(unexpected(error), validKeys);
      }
    });
  };
  add(search);
  add(getEvent);
  add(getMarket);
  add(getCandles);
  add(eventOnOneClock);
  add(bookAt);
  add(coverage);
  add(quoteExport);
  add(createExport);
  add(getExport);
  return server;
};

/** The client of one call, which hears its notices. `truncated` and `next` say themselves that a window was cut. */
const clientOf = ({ baseUrl, apiKey, asOf }: ServerOptions, notice: (detail: string) => void): Almanac =>
  new Almanac({
    baseUrl,
    apiKey,
    as_of: asOf,
    deadlineMs: callMs,
    maxRetries: retriesMax,
    wording: toolWording,
    onNotice: ({ code, detail }) => {
      if (code !== 'window_clamped') notice(detail);
    },
  });

/** Progress must rise with each message. An agent's program that does not follow it gets none. */
const progressOf = ({ mcpReq }: ServerContext, { log }: ServerOptions): ((share: number, message: string) => void) => {
  const progressToken = mcpReq._meta?.progressToken;
  let last = -1;
  return (share, message) => {
    if (progressToken === undefined || share <= last) return;
    last = share;
    const params = { progressToken, progress: share, total: 1, message };
    mcpReq.notify({ method: 'notifications/progress', params }).catch((error: unknown) => {
      log(`progress could not be sent: ${String(error)}`);
    });
  };
};
