import { hash } from 'node:crypto';
import type { ReplyHead, ReplyMeta } from '@almanac/contracts';
import type { Exchange } from '../http/exchange.js';
import { headHeaders, nextLink } from '../http/head-headers.js';
import { compress, compressFromBytes } from '../http/compression.js';
import { type Headers, notStored, type ReadyBody, revalidated, writeHead } from '../http/reply.js';
import { type Encoding, negotiateEncoding, type Form } from '../http/content-negotiation.js';

/** How an answer is told: all that stands before its bytes, but for what each request has of its own. */
export interface ResponseMetadata {
  readonly headers: Headers;
  /** Undefined where the answer depends on the moment. */
  readonly etag: string | undefined;
  /** What its form has no place for, among it how to go on. */
  readonly head: ReplyHead | undefined;
  readonly isText: boolean;
}

/** An answer with its bytes, whose length is among its headers. */
export interface CompleteResponse extends ReadyBody, ResponseMetadata {}

export const completeResponse = <T extends ResponseMetadata>(metadata: T, body: ReadyBody): T & CompleteResponse => ({
  ...metadata,
  ...body,
  headers: { ...metadata.headers, 'Content-Length': body.length },
});

/** A ready answer. */
export interface CachedResponse extends CompleteResponse {
  /** Milliseconds since the epoch from which it must not be served; Infinity where only an event changes it. */
  readonly freshUntilMs: number;
  /** What it tells of; a change of any of them drops it. */
  readonly topics: readonly string[];
}

/** `key` is the whole question with who may have its answer; undefined for answers that nobody keeps. */
export const responseMetadataOf = (
  meta: ReplyMeta,
  form: Form | undefined,
  key: string | undefined,
): ResponseMetadata => {
  const etag = key === undefined ? undefined : etagOf(key, meta);
  return {
    etag,
    head: meta.head,
    isText: form?.isText ?? true,
    headers: {
      'Content-Type': form?.mediaType ?? 'application/json',
      'Cache-Control': etag === undefined ? notStored : revalidated,
      Vary: form === undefined ? 'Accept-Encoding' : 'Accept, Accept-Encoding',
      ...(etag === undefined ? {} : { ETag: etag }),
      ...headHeaders(meta.head),
    },
  };
};

/**
 * The same question of the same plan has the same answer as long as the data version and the time until which it holds
 * are the same. Undefined where the answer depends on the moment.
 */
const etagOf = (key: string, { version, freshUntilUs, cacheable }: ReplyMeta): string | undefined =>
  cacheable === false || version === undefined
    ? undefined
    : `"${version}-${hash('sha256', `${key}\n${freshUntilUs ?? ''}`, 'hex').slice(0, 20)}"`;

/** In which coding an answer of that many bytes goes to this client. */
export const encodingFor = ({ request }: Exchange, isText: boolean, bytes: number): Encoding | undefined =>
  isText && bytes >= compressFromBytes ? negotiateEncoding(request) : undefined;

/** The same answer in a coding, as yet without bytes: a representation of its own with a tag of its own. */
export const compressedMetadata = <T extends ResponseMetadata>(metadata: T, encoding: Encoding): T => {
  const etag = metadata.etag?.replace(/"$/, `-${encoding}"`);
  const tag = etag === undefined ? {} : { ETag: etag };
  return { ...metadata, etag, headers: { ...metadata.headers, ...tag, 'Content-Encoding': encoding } };
};

export const compressedResponse = async (answer: CachedResponse, encoding: Encoding): Promise<CachedResponse> => {
  const plain = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
  const body = await compress(encoding, plain);
  return completeResponse(compressedMetadata(answer, encoding), { body, length: body.length });
};

/** Whether the client says that it has this one; by weak comparison, as If-None-Match has it. */
export const matchesIfNoneMatch = (
  { request }: Pick<Exchange, 'request'>,
  { etag }: Pick<ResponseMetadata, 'etag'>,
): boolean => {
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch === undefined || etag === undefined) return false;
  return ifNoneMatch.split(',').some((one) => [etag, '*'].includes(one.trim().replace(/^W\//, '')));
};

export const notModified = ({ response }: Exchange, { headers }: ResponseMetadata): void => {
  const { 'Content-Type': _type, 'Content-Encoding': _encoding, 'Content-Length': _length, ...ifNoneMatch } = headers;
  writeHead(response, 304, ifNoneMatch).end();
};

/** The headers for this request, whose own address tells where the next page is. */
export const headersFor = ({ request }: Exchange, { headers, head }: ResponseMetadata): Headers => {
  const link = nextLink(request, head);
  return link === undefined ? headers : { ...headers, Link: link };
};

export const send = (exchange: Exchange, answer: CompleteResponse): void => {
  if (matchesIfNoneMatch(exchange, answer)) notModified(exchange, answer);
  else writeHead(exchange.response, 200, headersFor(exchange, answer)).end(answer.body);
};
