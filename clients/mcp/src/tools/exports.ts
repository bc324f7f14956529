import { counted } from '@almanac/client';
import { AlmanacError, type Export, type ExportQuote, type ExportRequest } from '@almanac/client';
import { z } from 'zod';
import { ToolError } from '../tool-errors.js';
import {
  dated,
  datedBy,
  defineTool,
  item,
  partial,
  partOf,
  ticker,
  type ToolContext,
  type ToolResult,
} from '../tool.js';

const day = z.iso.date();
const targets = {
  event: ticker.optional(),
  tickers: z.array(ticker).min(1).max(100).optional(),
  series: ticker.optional(),
  from: day.optional(),
  to: day.optional(),
  streams: z.array(z.enum(['snapshots', 'settlement', 'l2', 'trades', 'sizes', 'candles'])).optional(),
  format: z.enum(['csv', 'parquet', 'json', 'jsonl.gz']).default('parquet'),
};
const listMax = 10;

export const quoteExport = defineTool({
  name: 'quote_export',
  title: 'Quote an export',
  description:
    'Contents and cost of a file. Target: event, tickers, or series with from and to (UTC days). Creates nothing.',
  input: z.strictObject(targets),
  output: z.object({ ...partial, quote: item }),
  run: async (input, context) => {
    const quote = await context.almanac.exports.quote(requestOf(input), context.call);
    const { as_of: _, dry_run: __, parts, options, ...facts } = quote;
    return {
      data: {
        ...datedBy(quote, context),
        // Each part can be quoted by itself, so there is no next call.
        ...partOf(null, parts.length > listMax),
        quote: { ...facts, options: options.slice(0, listMax), parts_n: parts.length, parts: parts.slice(0, listMax) },
      },
      text: parts.length > listMax ? `${sentenceOf(quote)} The first ${listMax} parts.` : sentenceOf(quote),
    };
  },
});

/** The API refuses more than one target, and names what is missing. */
const requestOf = ({ tickers, ...rest }: z.output<typeof quoteExport.input>): ExportRequest => {
  const [only, ...others] = tickers ?? [];
  const markets = only !== undefined && others.length === 0 ? { ticker: only } : { tickers };
  const fields = Object.entries({ ...rest, ...markets }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as ExportRequest;
};

const sentenceOf = ({ would, grant, row_count, remarks }: ExportQuote): string => {
  if (would !== null) return `It would be refused: ${would.detail}`;
  const paid =
    grant === 'free_credit' ? `It would use a free credit. ${remarks.join(' ')}` : `Covered by ${payers[grant ?? '']}.`;
  return `${counted(row_count, 'row')}. ${paid}`;
};

const payers: Readonly<Record<string, string>> = { plan: 'the plan', unlock: 'an unlocked event' };

const exportOutput = z.object({ ...dated, export: item });

export const createExport = defineTool({
  name: 'create_export',
  title: 'Create an export',
  description:
    'Requests a file. Target: see quote_export. Uses a daily export of the plan, buys nothing. use_free_credit spends a free credit: ask the user first. Then call get_export.',
  input: z.strictObject({ ...targets, use_free_credit: z.boolean().default(false) }),
  output: exportOutput,
  spends: true,
  run: async ({ use_free_credit, ...input }, context) => {
    const request = requestOf(input);
    refuseUnlessCovered(await context.almanac.exports.quote(request, context.call), use_free_credit);
    // What covered the quote can have ended since, so the request says it again.
    const created = await context.almanac.exports.create({ ...request, use_free_credit }, context.call);
    return resultOfExport(created, context);
  },
});

/** The API creates an export only if an unlock, the plan or a free credit pays for it. */
const refuseUnlessCovered = ({ would, grant, remarks }: ExportQuote, useFreeCredit: boolean): void => {
  if (would !== null) {
    const remedy = 'Nothing was created or bought. Ask the user to buy one of `options`, or try later.';
    const { code, detail, retry_after_s, options } = would;
    throw new ToolError({ code, detail, remedy }, { retry_after_s, options: options.slice(0, listMax) });
  }
  if (grant === 'unlock' || grant === 'plan' || useFreeCredit) return;
  throw new ToolError({
    code: 'confirmation_required',
    detail: remarks.join(' '),
    remedy: 'Nothing was created. If the user agrees, call create_export with use_free_credit: true.',
  });
};

export const getExport = defineTool({
  name: 'get_export',
  title: 'Get an export',
  description: 'State of an export. Once ready: link to its file, SHA-256, citation. Waits up to wait_s.',
  input: z.strictObject({ id: z.uuid(), wait_s: z.int().min(0).max(45).default(0) }),
  output: exportOutput,
  run: async ({ id, wait_s }, context) => {
    const state = await context.almanac.exports.get(id, context.call);
    refuseLater(state, context);
    if (wait_s === 0 || state.status !== 'pending') return resultOfExport(state, context);
    await waitFor(id, wait_s, context);
    return resultOfExport(await context.almanac.exports.get(id, context.call), context);
  },
});

/** The client reads any export of its account, and a file from outside the server can have later rows. */
const refuseLater = ({ as_of }: Export, { asOf }: ToolContext): void => {
  if (asOf === undefined || (as_of !== undefined && as_of <= asOf)) return;
  throw new ToolError({
    code: 'as_of_fenced',
    detail: `This export can have data from after ${asOf}, the time that this server is pinned to.`,
    remedy: 'Create the export with create_export, which makes it as of that time.',
  });
};

const endsOfWait = ['deadline_exceeded', 'export_failed', 'export_cancelled'];

const waitFor = async (id: string, seconds: number, context: ToolContext): Promise<void> => {
  const onProgress = ({ progress, rows_done }: Export): void =>
    context.progress(progress ?? 1, `${counted(rows_done ?? 0, 'row')} written`);
  const options = { ...context.call, deadlineMs: seconds * 1_000, onProgress };
  try {
    await context.almanac.exports.wait(id, options);
  } catch (error) {
    if (!(error instanceof AlmanacError) || !endsOfWait.includes(error.code)) throw error;
  }
};

const resultOfExport = (state: Export, context: ToolContext): ToolResult<z.input<typeof exportOutput>> => {
  const { id, status, format, streams, grant, bytes, row_count, markets, filename, sha256, error, progress } = state;
  const { dataset_id, citation, remarks, expires_in_s } = state;
  const facts = { id, status, format, streams, grant, bytes, row_count, markets, filename, sha256, error, progress };
  const more = { dataset_id, citation: citation?.text ?? null, remarks, expires_in_s };
  const data = { ...datedBy(state, context), export: { ...facts, ...more } };
  return { data, text: sentenceOfState(state), links: linksOf(state) };
};

const sentenceOfState = ({ id, status, row_count, error }: Export): string => {
  if (status === 'ready') return `Export ${id} is ready: ${counted(row_count ?? 0, 'row')}.`;
  return status === 'pending'
    ? `Export ${id} is pending. Call get_export.`
    : `Export ${id} is ${status}. ${error ?? ''}`;
};

const linksOf = ({ download_url, filename, content_type, bytes, sha256, expires_in_s }: Export) =>
  download_url === null || download_url === undefined
    ? []
    : [
        {
          type: 'resource_link' as const,
          uri: download_url,
          name: filename ?? 'file',
          description: `Needs no key and expires in ${expires_in_s} s. SHA-256 ${sha256 ?? 'unknown'}`,
          ...(content_type === null || content_type === undefined ? {} : { mimeType: content_type }),
          size: bytes,
        },
      ];
