import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import S3rver from 's3rver';
import AWSAccount from 's3rver/lib/models/account.js';
import S3Error from 's3rver/lib/models/error.js';
import { processHeader } from './process.js';
import { bucketPolicies, type BucketPolicies } from './s3-policies.js';
import { allows } from './s3-policy.js';
import { verifySignature, type S3Credentials } from './s3-signature.js';
import { AtomicStore } from './s3-store.js';

interface Target {
  readonly bucket: string;
  readonly key: string;
  readonly query: Readonly<Record<string, string | string[]>>;
}

/** Who may come in. */
export interface S3Keys {
  /** May do everything. */
  readonly root: S3Credentials;
  /** May do what the policy of a bucket says. */
  readonly users: readonly S3Credentials[];
}

/**
 * The check in front of s3rver, which itself lets forged signatures and anonymous readers in and knows no rights. It
 * also answers what s3rver lacks (abort and list of multipart uploads, policies) and refuses what s3rver would get wrong.
 */
export const s3Front = async (folder: string, bucket: string, keys: S3Keys): Promise<RequestListener> => {
  const app = new S3rver({ directory: folder, silent: true, vhostBuckets: false });
  const store = new AtomicStore(folder);
  app.store = store;
  app.context.store = store;
  await store.putBucket(bucket);
  // s3rver looks the key id up; its built-in one must not open anything.
  AWSAccount.DUMMY_ACCOUNT.revokeAccessKey('S3RVER');
  for (const { accessKeyId, secretAccessKey } of [keys.root, ...keys.users]) {
    AWSAccount.DUMMY_ACCOUNT.createKeyPair(accessKeyId, secretAccessKey);
  }
  const s3rver = app.callback();
  const policies = await bucketPolicies(folder);

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const target = await admit(req, keys, policies);
    if (req.method === 'PUT' && target.key === '' && 'policy' in target.query) {
      await policies.put(target.bucket, req);
      res.writeHead(204).end();
      return;
    }
    if (await answeredHere(target, req, res, store)) return;
    await rewriteHeaders(target, req, store);
    s3rver(req, res);
  };
  return (req, res) => {
    res.setHeader(processHeader, process.pid);
    handle(req, res).catch((error: unknown) => sendError(error, req, res));
  };
};

const admit = async (req: IncomingMessage, { root, users }: S3Keys, policies: BucketPolicies): Promise<Target> => {
  const [path = '/', search = ''] = splitOnce(req.url ?? '/', '?');
  const query = parseQuery(search);
  const request = { method: req.method ?? 'GET', path, query, headers: req.headers };
  const user = await verifySignature(request, [root, ...users], Date.now());
  if (String(req.headers['x-amz-content-sha256']).startsWith('STREAMING-')) {
    throw new S3Error('NotImplemented', 'aws-chunked bodies are not supported: send requests without trailers.');
  }
  if ('x-amz-copy-source' in req.headers) throw new S3Error('NotImplemented', 'Copying is not supported.');
  const target = { ...splitPath(path), query };
  if (user !== root.accessKeyId && !allows(policies.of(target.bucket), user, { ...target, method: request.method })) {
    throw new S3Error('AccessDenied', 'Access Denied');
  }
  return target;
};

/** s3rver joins a decoded key to a folder unchecked; a key here cannot leave it or name s3rver's own files. */
const splitPath = (path: string): { bucket: string; key: string } => {
  const decoded = decodePath(path);
  const [bucket = '', ...rest] = decoded.slice(1).split('/');
  const unsafe = [bucket, ...rest].some((segment) => segment === '.' || segment === '..' || segment.includes('\0'));
  if (!decoded.startsWith('/') || unsafe || decoded.includes('//') || decoded.includes('._S3rver_')) {
    throw new S3Error('InvalidURI', 'The bucket or key is not one that this server can store.');
  }
  return { bucket, key: rest.join('/') };
};

const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) throw new S3Error('InvalidURI', 'The path is not percent-encoded UTF-8.');
    throw error;
  }
};

const answeredHere = async (
  { bucket, key, query }: Target,
  req: IncomingMessage,
  res: ServerResponse,
  store: AtomicStore,
): Promise<boolean> => {
  const { uploadId } = query;
  if (req.method === 'DELETE' && key !== '' && typeof uploadId === 'string') {
    await store.abortUpload(bucket, key, uploadId);
    res.writeHead(204).end();
    return true;
  }
  if (req.method === 'GET' && key === '' && bucket !== '' && 'uploads' in query) {
    if ((await store.getBucket(bucket)) === null) throw new S3Error('NoSuchBucket', 'The bucket does not exist.');
    const uploads = await store.openUploads(bucket);
    const items = uploads.map(
      (upload) =>
        `<Upload><Key>${escapeXml(upload.key)}</Key><UploadId>${upload.uploadId}</UploadId>` +
        `<Initiated>${upload.startedAt.toISOString()}</Initiated></Upload>`,
    );
    sendXml(
      res,
      200,
      `<ListMultipartUploadsResult><Bucket>${escapeXml(bucket)}</Bucket><IsTruncated>false</IsTruncated>` +
        `${items.join('')}</ListMultipartUploadsResult>`,
    );
    return true;
  }
  return false;
};

/**
 * s3rver reads `bytes=-5` as 0 to 5 and ignores If-Range, and an answer 304 leaks its open file: so a suffix
 * becomes an absolute range, a range it must not honour goes, and conditional reads get the whole object.
 */
const rewriteHeaders = async (target: Target, req: IncomingMessage, store: AtomicStore): Promise<void> => {
  const { range, 'if-range': ifRange } = req.headers;
  delete req.headers['if-none-match'];
  delete req.headers['if-modified-since'];
  delete req.headers.range;
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === undefined || last === undefined || target.key === '') return;
  const found = await store.describe(target.bucket, target.key);
  if (found === undefined || (typeof ifRange === 'string' && ifRange !== found.etag)) return;
  const size = found['content-length'];
  if (first !== '') {
    if (last === '' || BigInt(first) <= BigInt(last)) req.headers.range = `bytes=${first}-${last}`;
  } else if (last !== '') req.headers.range = `bytes=${Number(last) === 0 ? size : Math.max(0, size - Number(last))}-`;
};

const parseQuery = (search: string): Record<string, string | string[]> => {
  const query = new Map<string, string | string[]>();
  // An application/x-www-form-urlencoded plus is a space; in a signed query it stands for itself.
  for (const [name, value] of new URLSearchParams(search.replaceAll('+', '%2B'))) {
    const before = query.get(name);
    query.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(query);
};

const splitOnce = (text: string, mark: string): string[] => {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

const sendError = (error: unknown, req: IncomingMessage, res: ServerResponse): void => {
  if (!(error instanceof S3Error)) console.error(req.method, req.url?.split('?')[0], error);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const known = error instanceof S3Error ? error : new S3Error('InternalError', 'The server failed; see its log.');
  // What is left of the body is not read: the connection ends with the answer.
  res.setHeader('connection', 'close');
  sendXml(res, known.status, known.toXML().replace(/^<\?xml[^>]*\?>\s*/, ''));
};

const sendXml = (res: ServerResponse, status: number, xml: string): void => {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
  res.writeHead(status, { 'content-type': 'application/xml', 'content-length': body.length }).end(body);
};

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
