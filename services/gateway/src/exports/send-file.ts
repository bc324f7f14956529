import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { DomainError, exportFormats, notFound, type RecordedExport } from '@almanac/contracts';
import { inSpan } from '@almanac/runtime';
import { matchesIfNoneMatch } from '../cache/cached-response.js';
import type { Exchange } from '../http/exchange.js';
import { HttpError } from '../http/error-response.js';
import { revalidated, writeHead } from '../http/reply.js';
import type { ExportStates } from './export-states.js';
import type { LinkCache } from './links.js';

/** How long the object store may keep silent, before its first byte and between any two. */
const idleTimeoutMs = 15_000;

/**
 * Sends an export's file: the bytes that an internal signed link gives, a range of them where one is asked for. The
 * link is asked for even when the state in memory is not ready, since it may be a moment behind; its refusal is the
 * answer then.
 */
export const sendFile =
  (states: ExportStates, links: LinkCache) =>
  async (exportId: string, exchange: Exchange): Promise<void> => {
    const { request, response, caller } = exchange;
    const { state } = await states.get(caller.account, exportId);
    const link = await links.get(state.id, exchange, false).catch((error: unknown) => {
      // Another account's export and none at all must not be told apart, whoever says so.
      throw error instanceof DomainError && error.code === 'export_not_found'
        ? notFound('export_not_found', exportId)
        : error;
    });
    const etag = state.status === 'ready' ? `"${state.file.sha256}"` : undefined;
    if (etag !== undefined && matchesIfNoneMatch(exchange, { etag })) {
      writeHead(response, 304, { ETag: etag, 'Cache-Control': revalidated }).end();
      return;
    }
    const upstream = await inSpan(linkSpan, () => open(link.url, rangeOf(exchange, etag)));
    if (upstream.statusCode === 404) {
      upstream.destroy();
      // A lost object is prepared again. What was found in its place meanwhile is what the next request gets.
      await links.missing(state.id, exchange);
      throw unreachable(new Error('the object store has no such object'));
    }
    if (upstream.statusCode === 416) throw unsatisfiable(upstream, state);
    if (upstream.statusCode !== 200 && upstream.statusCode !== 206) throw failed(upstream);
    writeHead(response, upstream.statusCode, fileHeaders(upstream, state, etag));
    if (request.method === 'HEAD') {
      upstream.destroy();
      response.end();
      return;
    }
    // A pipeline that breaks off destroys the response, so that nobody takes the part for the whole.
    await pipeline(upstream, response);
  };

/** Several at once may be answered by the whole, which is what all stores can do. */
const oneRange = /^bytes=(?:\d+-\d*|-\d+)$/;

/** The range asked for; with If-Range only while the file is the one meant, which our own tag tells, not the store's. */
const rangeOf = ({ request }: Exchange, etag: string | undefined): string | undefined => {
  const { range = '', 'if-range': ifRange } = request.headers;
  const rangeHeader = range.toLowerCase();
  const isMeant = request.method === 'GET' && (ifRange === undefined || ifRange === etag);
  return isMeant && oneRange.test(rangeHeader) ? rangeHeader : undefined;
};

/** Until the first byte; the link itself opens the file to whoever has it. */
const linkSpan = () =>
  ({
    kind: 'client',
    name: 'S3/GetObject',
    attributes: { 'rpc.system.name': 'aws-api', 'rpc.system': 'aws-api', 'rpc.method': 'S3/GetObject' },
  }) as const;

/** The store's answer with its headers; `unavailable` when it does not come. */
const open = (url: string, range: string | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const upstreamRequest = send(url, { headers: range === undefined ? {} : { Range: range } }, resolve);
    upstreamRequest.setTimeout(idleTimeoutMs, () => upstreamRequest.destroy(new Error('the object store fell silent')));
    upstreamRequest.on('error', (cause) => reject(unreachable(cause)));
    upstreamRequest.end();
  });

const unreachable = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The file is temporarily unavailable. Try again in a few seconds.', { cause });

const failed = (upstream: IncomingMessage): DomainError => {
  upstream.destroy();
  return unreachable(new Error(`the object store answered ${upstream.statusCode}`));
};

/** The length is told by us: not every store does, and by it a client knows that it has all. */
const unsatisfiable = (upstream: IncomingMessage, state: RecordedExport): HttpError => {
  upstream.destroy();
  return new HttpError(416, 'range_not_satisfiable', {
    detail: 'The requested range is outside the file. `Content-Range` gives the size of the file.',
    ...(state.status === 'ready' ? { headers: { 'Content-Range': `bytes */${state.file.bytes}` } } : {}),
  });
};

const fileHeaders = (
  { headers }: IncomingMessage,
  state: RecordedExport,
  etag: string | undefined,
): Record<string, string> => {
  const all: Record<string, string | undefined> = {
    'Content-Type': exportFormats[state.question.format].contentType,
    'Content-Disposition': headers['content-disposition'] ?? `attachment; filename="${state.filename}"`,
    'Content-Length': headers['content-length'],
    'Content-Range': headers['content-range'],
    'Accept-Ranges': 'bytes',
    'Cache-Control': revalidated,
    ETag: etag,
  };
  const passedThrough: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) if (value !== undefined) passedThrough[name] = value;
  return passedThrough;
};
