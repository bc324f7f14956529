import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Hash } from '@smithy/core/serde';
import { createScope, getCanonicalHeaders, getCanonicalQuery, getSigningKey } from '@smithy/signature-v4';
import { S3Error } from './errors.js';

/** A request as its signature covers it. `path` is raw, percent-encoded as received. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: IncomingHttpHeaders;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface Claim {
  readonly accessKeyId: string;
  readonly day: string;
  readonly region: string;
  readonly longDate: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly payloadHash: string;
}

const skewMaxMs = 15 * 60_000;
const expiresMaxS = 7 * 24 * 3_600;
const sha256 = Hash.bind(null, 'sha256');

/**
 * Resolves with the key id if the request has a valid AWS Signature Version 4 of one of these keys, in headers or as an
 * unexpired presigned query. Otherwise rejects with an S3Error (403, or 400 for two signatures at once).
 */
export const verifySignature = async (
  request: SignedRequest,
  known: readonly S3Credentials[],
  nowMs: number,
): Promise<string> => {
  const claim = readClaim(request, nowMs);
  const credentials = known.find(({ accessKeyId }) => accessKeyId === claim.accessKeyId);
  if (credentials === undefined) {
    throw new S3Error('InvalidAccessKeyId', 'The AWS access key id does not exist in our records.');
  }
  const headers = coveredHeaders(request.headers, claim.signedHeaders);
  const expected = await signatureOf({ request, headers, claim, credentials });
  if (!timingSafeEqual(expected, Buffer.from(claim.signature, 'hex'))) {
    throw new S3Error('SignatureDoesNotMatch', 'The signature does not match the request and the key.');
  }
  return claim.accessKeyId;
};

const readClaim = (request: SignedRequest, nowMs: number): Claim => {
  const { authorization } = request.headers;
  const presigned = 'X-Amz-Signature' in request.query;
  if (authorization !== undefined && presigned) {
    throw new S3Error('InvalidArgument', 'Only one of the Authorization header and a presigned query is allowed.');
  }
  if (presigned) return presignedClaim(request.query, nowMs);
  if (authorization === undefined) throw denied('Anonymous access is forbidden.');
  return headerClaim(authorization, request.headers, nowMs);
};

const headerPattern =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/s3\/aws4_request,\s*SignedHeaders=([a-z0-9;_-]+),\s*Signature=([0-9a-f]{64})$/;

const headerClaim = (authorization: string, headers: IncomingHttpHeaders, nowMs: number): Claim => {
  const [, accessKeyId, day, region, signedHeaders, signature] = headerPattern.exec(authorization) ?? [];
  const longDate = headers['x-amz-date'];
  const payloadHash = headers['x-amz-content-sha256'];
  if (
    accessKeyId === undefined ||
    day === undefined ||
    region === undefined ||
    signedHeaders === undefined ||
    signature === undefined ||
    typeof longDate !== 'string' ||
    typeof payloadHash !== 'string'
  ) {
    throw denied('The Authorization header is not a complete AWS4-HMAC-SHA256 signature.');
  }
  if (Math.abs(nowMs - parseLongDate(longDate, day)) > skewMaxMs) {
    throw new S3Error('RequestTimeTooSkewed', 'The time of the request is too far from the time of the server.');
  }
  return { accessKeyId, day, region, longDate, signedHeaders: signedHeaders.split(';'), signature, payloadHash };
};

const credentialPattern = /^([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request$/;

const presignedClaim = (query: SignedRequest['query'], nowMs: number): Claim => {
  const one = (name: string, pattern: RegExp): string => {
    const value = query[name];
    if (typeof value !== 'string' || !pattern.test(value)) throw denied(`${name} of the link is missing or malformed.`);
    return value;
  };
  one('X-Amz-Algorithm', /^AWS4-HMAC-SHA256$/);
  const [, accessKeyId = '', day = '', region = ''] =
    credentialPattern.exec(one('X-Amz-Credential', credentialPattern)) ?? [];
  const longDate = one('X-Amz-Date', /^\d{8}T\d{6}Z$/);
  const expiresS = Number(one('X-Amz-Expires', /^\d{1,6}$/));
  const signedHeaders = one('X-Amz-SignedHeaders', /^[a-z0-9;_-]+$/).split(';');
  const signature = one('X-Amz-Signature', /^[0-9a-f]{64}$/);
  const signedMs = parseLongDate(longDate, day);
  if (expiresS < 1 || expiresS > expiresMaxS) throw denied('X-Amz-Expires must be 1 to 604800 seconds.');
  if (nowMs < signedMs - skewMaxMs) throw denied('The link is not valid yet.');
  if (nowMs > signedMs + expiresS * 1_000) throw denied('Request has expired');
  return { accessKeyId, day, region, longDate, signedHeaders, signature, payloadHash: 'UNSIGNED-PAYLOAD' };
};

const parseLongDate = (longDate: string, day: string): number => {
  const [, ...digits] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(longDate) ?? [];
  const [year, month, date, hour, minute, second] = digits;
  const time = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(time) || !longDate.startsWith(day)) throw denied('The date of the signature is malformed.');
  return time;
};

/** The signature must cover every header that could change the request, as in AWS. */
const coveredHeaders = (headers: IncomingHttpHeaders, signed: readonly string[]): Record<string, string> => {
  if (!signed.includes('host')) throw denied('The host header is not signed.');
  const uncovered = Object.keys(headers).find((name) => name.startsWith('x-amz-') && !signed.includes(name));
  if (uncovered !== undefined) throw denied(`The header ${uncovered} is not signed.`);
  return Object.fromEntries(
    signed.map((name) => {
      const value = headers[name];
      if (value === undefined) throw denied(`The signed header ${name} is missing.`);
      return [name, Array.isArray(value) ? value.join(',') : value];
    }),
  );
};

interface SignatureInput {
  readonly request: SignedRequest;
  readonly headers: Record<string, string>;
  readonly claim: Claim;
  readonly credentials: S3Credentials;
}

const signatureOf = async ({ request, headers, claim, credentials }: SignatureInput): Promise<Buffer> => {
  const signedRequest = { method: request.method, protocol: 'http:', hostname: '', path: request.path };
  const httpRequest = { ...signedRequest, headers, query: { ...request.query } };
  const canonicalHeaders = getCanonicalHeaders(httpRequest, undefined, new Set(claim.signedHeaders));
  const names = Object.keys(canonicalHeaders).toSorted();
  const canonicalRequest = [
    request.method,
    request.path,
    getCanonicalQuery(httpRequest),
    ...names.map((name) => `${name}:${canonicalHeaders[name] ?? ''}`),
    '',
    names.join(';'),
    claim.payloadHash,
  ].join('\n');
  const toSign = [
    'AWS4-HMAC-SHA256',
    claim.longDate,
    createScope(claim.day, claim.region, 's3'),
    createHash('sha256').update(canonicalRequest).digest('hex'),
  ].join('\n');
  const key = await getSigningKey(sha256, credentials, claim.day, claim.region, 's3');
  return createHmac('sha256', key).update(toSign).digest();
};

const denied = (message: string): S3Error => new S3Error('AccessDenied', message);
