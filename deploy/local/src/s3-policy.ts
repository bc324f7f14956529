import S3Error from 's3rver/lib/models/error.js';

/** What a request does, as policies name it, and to what. */
export interface S3Request {
  readonly method: string;
  readonly bucket: string;
  /** Empty: to the bucket itself. */
  readonly key: string;
  readonly query: Readonly<Record<string, unknown>>;
}

interface Statement {
  readonly principals: ReadonlySet<string>;
  readonly actions: ReadonlySet<string>;
  readonly resources: readonly string[];
}
export type S3Policy = readonly Statement[];

interface Kind {
  readonly action: string;
  readonly on: 'bucket' | 'object';
  readonly methods: readonly string[];
  /** Names in the query that make it this one. */
  readonly with?: readonly string[];
  /** Names that may stand there too; another one makes another request of it. */
  readonly also?: readonly string[];
}

const answered = ['content-type', 'content-disposition', 'cache-control', 'content-encoding', 'expires'];
const listing = ['prefix', 'delimiter', 'encoding-type'];
const pages = ['marker', 'max-keys', 'list-type', 'continuation-token', 'start-after', 'fetch-owner'];
const kinds: readonly Kind[] = [
  { action: 's3:ListBucket', on: 'bucket', methods: ['HEAD'] },
  { action: 's3:ListBucket', on: 'bucket', methods: ['GET'], also: [...listing, ...pages] },
  {
    action: 's3:ListBucketMultipartUploads',
    on: 'bucket',
    methods: ['GET'],
    with: ['uploads'],
    also: [...listing, 'key-marker', 'upload-id-marker', 'max-uploads'],
  },
  { action: 's3:CreateBucket', on: 'bucket', methods: ['PUT'] },
  { action: 's3:DeleteBucket', on: 'bucket', methods: ['DELETE'] },
  { action: 's3:PutBucketPolicy', on: 'bucket', methods: ['PUT'], with: ['policy'] },
  {
    action: 's3:GetObject',
    on: 'object',
    methods: ['GET', 'HEAD'],
    also: answered.map((name) => `response-${name}`),
  },
  { action: 's3:PutObject', on: 'object', methods: ['PUT'] },
  { action: 's3:PutObject', on: 'object', methods: ['POST'], with: ['uploads'] },
  { action: 's3:PutObject', on: 'object', methods: ['PUT'], with: ['uploadId', 'partNumber'] },
  { action: 's3:PutObject', on: 'object', methods: ['POST'], with: ['uploadId'] },
  { action: 's3:DeleteObject', on: 'object', methods: ['DELETE'] },
  { action: 's3:AbortMultipartUpload', on: 'object', methods: ['DELETE'], with: ['uploadId'] },
];

/** The action that a request needs; undefined for one that no policy here can allow. */
export const actionOf = ({ method, bucket, key, query }: S3Request): string | undefined => {
  if (bucket === '') return undefined;
  const on = key === '' ? 'bucket' : 'object';
  // The client names its call, and a link its signature.
  const names = Object.keys(query).filter((name) => name !== 'x-id' && !/^X-Amz-/i.test(name));
  const found = kinds.find(({ on: what, methods, with: needed = [], also = [] }) => {
    const fits = what === on && methods.includes(method) && needed.every((name) => names.includes(name));
    return fits && names.every((name) => needed.includes(name) || also.includes(name));
  });
  return found?.action;
};

/**
 * Reads the policy of a bucket: `Allow` for named principals, with actions and resources by name or all objects of the
 * bucket. Of what else a policy may say nothing is known here, and it is refused rather than passed over.
 */
export const parsePolicy = (text: string, bucket: string): S3Policy => {
  try {
    const { Version, Statement, ...more } = record(JSON.parse(text));
    if (Version !== '2012-10-17' || !Array.isArray(Statement)) throw new TypeError('its version or statements');
    nothingIn(more);
    return Statement.map((one) => statement(one, bucket));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw Object.assign(new S3Error('MalformedPolicy', `This server cannot keep the policy: ${why}`), { status: 400 });
  }
};

const statement = (value: unknown, bucket: string): Statement => {
  const { Sid: _name, Effect, Principal, Action, Resource, ...more } = record(value);
  nothingIn(more);
  if (Effect !== 'Allow') throw new TypeError('an effect that is not Allow');
  const { AWS, ...others } = record(Principal);
  nothingIn(others);
  const [principals, actions, resources] = [texts(AWS), texts(Action), texts(Resource)];
  if (principals.includes('*')) throw new TypeError('everybody as a principal');
  const known = new Set(kinds.map(({ action }) => action));
  const unknown = actions.find((action) => !known.has(action));
  if (unknown !== undefined) throw new TypeError(`the action ${unknown}`);
  const own = [arnOf(bucket), `${arnOf(bucket)}/*`];
  const foreign = resources.find((resource) => !own.includes(resource));
  if (foreign !== undefined) throw new TypeError(`the resource ${foreign}`);
  return { principals: new Set(principals), actions: new Set(actions), resources };
};

const arnOf = (bucket: string): string => `arn:aws:s3:::${bucket}`;

/** Whether a policy of the bucket lets this user do it. */
export const allows = (policy: S3Policy, accessKeyId: string, request: S3Request): boolean => {
  const action = actionOf(request);
  if (action === undefined) return false;
  const resource = request.key === '' ? arnOf(request.bucket) : `${arnOf(request.bucket)}/*`;
  return policy.some(
    ({ principals, actions, resources }) =>
      principals.has(accessKeyId) && actions.has(action) && resources.includes(resource),
  );
};

const record = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) throw new TypeError('something that is no object');
  return Object.fromEntries(Object.entries(value));
};

const texts = (value: unknown): string[] => {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => {
    if (typeof one !== 'string') throw new TypeError('something that is no text');
    return one;
  });
};

const nothingIn = (rest: object): void => {
  const [name] = Object.keys(rest);
  if (name !== undefined) throw new TypeError(name);
};
