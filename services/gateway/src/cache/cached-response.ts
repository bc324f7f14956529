import { hash } from 'node:crypto';
import type { RpcReply } from '@almanac/bus';
import type { Notice, ReplyHead } from '@almanac/contracts';
import type { UnroutedExchange } from '../http/exchange.js';
import { noticeHeader } from '../notices/notice-header.js';
import { replaceNotices } from '../notices/notices-in-json.js';
import { headHeaders, nextLink } from '../http/head-headers.js';
import { compress, compressFromBytes } from '../http/compression.js';
import { type Headers, notStored, type ReadyBody, revalidated, writeHead } from '../http/reply.js';
import { type Encoding, negotiateEncoding, type Form } from '../http/content-negotiation.js';

/** Headers, ETag and paging head of an answer, without what differs per request. */
export interface ResponseMetadata {
  readonly headers: Headers;
  /** Undefined if the answer depends on the time of the request. */
  readonly etag: string | undefined;
  /** Fields without a place in the representation, including the next page. */
  readonly head: ReplyHead | undefined;
  readonly isText: boolean;
  /** Whether the body is a JSON object, which has its notices. */
  readonly isJson: boolean;
  /** The service's notices on the answer, then those on this request. A cached answer has only the service's. */
  readonly notices: readonly Notice[];
}

/** A response with its bytes. The headers include their length. */
export interface CompleteResponse extends ReadyBody, ResponseMetadata {}

/** The bytes must have the notices of the metadata. */
export const completeResponse = <T extends ResponseMetadata>(metadata: T, body: ReadyBody): T & CompleteResponse => ({
  ...metadata,
  ...body,
  headers: { ...metadata.headers, 'Content-Length': body.length },
});

export interface CachedResponse extends CompleteResponse {
  /** Milliseconds since the epoch from which it must not be served. Infinity if only an event changes it. */
  readonly freshUntilMs: number;
  /** A change of any of these topics drops it. */
  readonly topics: readonly string[];
  /** Whether changes arrive. Otherwise it must not be served. */
  readonly trusted: () => boolean;
}

/** A reply without `rest` has all its bytes in `first`. */
type ReplyParts = Pick<RpcReply, 'meta' | 'first' | 'rest'>;

/** `key` identifies the query and its permitted readers. Undefined for answers that are not cached. */
export const responseMetadataOf = (
  reply: ReplyParts,
  form: Form | undefined,
  key: string | undefined,
): ResponseMetadata => {
  const { meta } = reply;
  const etag = key === undefined ? undefined : etagOf(key, reply);
  const mediaType = form?.mediaType ?? jsonType;
  const { head, notices = [] } = meta;
  return {
    etag,
    head,
    isText: form?.isText ?? true,
    isJson: mediaType === jsonType,
    notices,
    headers: {
      'Content-Type': mediaType,
      'Cache-Control': etag === undefined ? notStored : revalidated,
      Vary: form === undefined ? 'Accept-Encoding' : 'Accept, Accept-Encoding',
      ...(etag === undefined ? {} : { ETag: etag }),
      ...headHeaders(head),
      ...(notices.length === 0 ? {} : { 'Almanac-Notice': noticeHeader(notices) }),
    },
  };
};

/**
 * The hash of the bytes if the service sends one. Otherwise the data version: the same query under the same plan has the
 * same answer while it and `freshUntilUs` are the same. Undefined if the answer depends on the time of the request.
 *
 * The version of an answer about the past counts what came later, which must not show. So its tag is a hash of its bytes. A
 * reply that arrives in parts is not hashed before it is sent: its tag has the version, which the secret in the key hides.
 */
const etagOf = (key: string, { meta, first, rest }: ReplyParts) => {
  const { version, asOf, freshUntilUs, cacheable, digest: ofBytes } = meta;
  if (ofBytes !== undefined) return `"${ofBytes}"`;
  if (cacheable === false || version === undefined) return undefined;
  const digest = (text: string): string => hash('sha256', text, 'hex').slice(0, 20);
  if (asOf !== undefined)
    return `"${digest(`${key}\n${rest === undefined ? hash('sha256', first, 'hex') : version}`)}"`;
  return `"${version}-${digest(`${key}\n${freshUntilUs ?? ''}`)}"`;
};

const jsonType = 'application/json';

/**
 * The metadata of the representation with notices on one request, which has its own ETag. `writeHead` adds the header
 * of these notices.
 */
export const withRequestNotices = <T extends ResponseMetadata>(metadata: T, notices: readonly Notice[]): T => {
  if (notices.length === 0 || !metadata.isJson) return metadata;
  const suffix = hash('sha256', JSON.stringify(notices), 'hex').slice(0, 8);
  const etag = metadata.etag?.replace(/"$/, `-n${suffix}"`);
  const headers = etag === undefined ? metadata.headers : { ...metadata.headers, ETag: etag };
  return { ...metadata, etag, headers, notices: [...metadata.notices, ...notices] };
};

/** A complete response with notices on one request. It must not be cached. */
export const completeWithNotices = (answer: CompleteResponse, notices: readonly Notice[]): CompleteResponse => {
  const metadata = withRequestNotices(answer, notices);
  if (metadata === answer) return answer;
  const body = replaceNotices(answer.body, { from: answer.notices, to: metadata.notices });
  return completeResponse(metadata, { body, length: Buffer.byteLength(body) });
};

/** The content coding for an answer of this size to this client. */
export const encodingFor = (
  { request }: Pick<UnroutedExchange, 'request'>,
  isText: boolean,
  bytes: number,
): Encoding | undefined => (isText && bytes >= compressFromBytes ? negotiateEncoding(request) : undefined);

/** The metadata of the compressed representation, which has its own ETag. */
export const compressedMetadata = <T extends ResponseMetadata>(metadata: T, encoding: Encoding): T => {
  const etag = metadata.etag?.replace(/"$/, `-${encoding}"`);
  const tag = etag === undefined ? {} : { ETag: etag };
  return { ...metadata, etag, headers: { ...metadata.headers, ...tag, 'Content-Encoding': encoding } };
};

export const compressedResponse = async <T extends CompleteResponse>(answer: T, encoding: Encoding): Promise<T> => {
  const plain = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
  const body = await compress(encoding, plain);
  return completeResponse(compressedMetadata(answer, encoding), { body, length: body.length });
};

/** Whether the client has this version. Weak comparison, as If-None-Match requires. */
export const matchesIfNoneMatch = (
  { request }: Pick<UnroutedExchange, 'request'>,
  { etag }: Pick<ResponseMetadata, 'etag'>,
): boolean => {
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch === undefined || etag === undefined) return false;
  return ifNoneMatch.split(',').some((one) => [etag, '*'].includes(one.trim().replace(/^W\//, '')));
};

export const notModified = ({ response }: Pick<UnroutedExchange, 'response'>, { headers }: ResponseMetadata): void => {
  const { 'Content-Type': _type, 'Content-Encoding': _encoding, 'Content-Length': _length, ...ifNoneMatch } = headers;
  writeHead(response, 304, ifNoneMatch).end();
};

/** The headers for this request. The request's URL determines the link to the next page. */
export const headersFor = (
  { request }: Pick<UnroutedExchange, 'request'>,
  { headers, head }: ResponseMetadata,
): Headers => {
  const link = nextLink(request, head);
  return link === undefined ? headers : { ...headers, Link: link };
};

export const send = (exchange: UnroutedExchange, answer: CompleteResponse): void => {
  if (matchesIfNoneMatch(exchange, answer)) {
    notModified(exchange, answer);
    return;
  }
  exchange.reserveAnswer(exchange, answer.length, answer.body);
  writeHead(exchange.response, 200, headersFor(exchange, answer)).end(answer.body);
};
