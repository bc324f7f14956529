import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { processHeader } from '../process.js';
import { bucketPolicies } from './bucket-policies.js';
import * as buckets from './buckets.js';
import type { Call } from './call.js';
import { asS3Error, S3Error } from './errors.js';
import { ObjectFiles } from './object-files.js';
import * as objects from './objects.js';
import { operationOf, type OperationName, type S3Request } from './operations.js';
import { allows } from './policy.js';
import { verifySignature, type S3Credentials } from './signature.js';
import { Uploads } from './uploads.js';
import { sendXml } from './xml.js';

export interface S3Keys {
  readonly root: S3Credentials;
  /** May do what a bucket's policy allows. */
  readonly users: readonly S3Credentials[];
}

const handlers: Record<OperationName, (call: Call) => void | Promise<void>> = {
  ListBuckets: buckets.listBuckets,
  HeadBucket: ({ res }) => void res.writeHead(200).end(),
  ListObjects: buckets.listObjects,
  ListMultipartUploads: buckets.listMultipartUploads,
  CreateBucket: buckets.createBucket,
  PutBucketPolicy: buckets.putBucketPolicy,
  GetObject: objects.getObject,
  PutObject: objects.putObject,
  DeleteObject: objects.deleteObject,
  CreateMultipartUpload: objects.createMultipartUpload,
  UploadPart: objects.uploadPart,
  CompleteMultipartUpload: objects.completeMultipartUpload,
  AbortMultipartUpload: objects.abortMultipartUpload,
};

/** An S3 server for laptops and tests in one folder. Unsupported requests get 501. Creates a missing bucket. */
export const s3Listener = async (folder: string, bucket: string, keys: S3Keys): Promise<RequestListener> => {
  const files = new ObjectFiles(folder);
  if (!files.hasBucket(bucket)) files.createBucket(bucket);
  const parts = { files, uploads: new Uploads(files), policies: await bucketPolicies(folder) };

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { path, query } = parseUrl(req.url ?? '/');
    const signed = { method: req.method ?? 'GET', path, query, headers: req.headers };
    const accessKeyId = await verifySignature(signed, [keys.root, ...keys.users], Date.now());
    refuseUnsupported(req);
    const request: S3Request = { ...parsePath(path), method: signed.method, query };
    const operation = operationOf(request);
    const access = { accessKeyId, action: operation?.action, ...request };
    if (accessKeyId !== keys.root.accessKeyId && !allows(parts.policies.of(request.bucket), access)) {
      throw new S3Error('AccessDenied', 'Access Denied');
    }
    if (operation === undefined) throw new S3Error('NotImplemented', 'This server has no such operation.');
    if (!['ListBuckets', 'CreateBucket'].includes(operation.name)) files.requireBucket(request.bucket);
    await handlers[operation.name]({ ...request, ...parts, req, res });
  };
  return (req, res) => {
    res.setHeader(processHeader, process.pid);
    answer(req, res).catch((error: unknown) => sendError(error, req, res));
  };
};

const parseUrl = (url: string): { path: string; query: Record<string, string> } => {
  const [path = '/', ...search] = url.split('?');
  // In a form, a plus is a space. In a signed query it is a plus.
  return { path, query: Object.fromEntries(new URLSearchParams(search.join('?').replaceAll('+', '%2B'))) };
};

/** A key becomes a path, so it must not leave its bucket's folder or name a file that this server adds. */
const parsePath = (path: string): { bucket: string; key: string } => {
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

/** Refuses headers that would lead to wrong data if ignored. */
const refuseUnsupported = ({ method, headers }: IncomingMessage): void => {
  if (String(headers['x-amz-content-sha256']).startsWith('STREAMING-')) {
    throw new S3Error('NotImplemented', 'aws-chunked bodies are not supported: send requests without trailers.');
  }
  const conditions = method === 'GET' || method === 'HEAD' ? [] : ['if-match', 'if-none-match'];
  const header = ['x-amz-copy-source', ...conditions].find((name) => name in headers);
  if (header !== undefined) throw new S3Error('NotImplemented', `The header ${header} is not supported.`);
};

const sendError = (error: unknown, req: IncomingMessage, res: ServerResponse): void => {
  // The client has disconnected, so nobody reads an answer.
  if (req.socket.destroyed) return;
  const known = asS3Error(error);
  if (known.status >= 500 && known.code !== 'NotImplemented') console.error(req.method, req.url?.split('?')[0], error);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  // The rest of the body is not read, so the connection ends with the answer.
  if (!req.complete) res.setHeader('connection', 'close');
  sendXml(res, known.status, 'Error', { Code: known.code, Message: known.message });
};
