/** A request, as far as it says what is to be done, and to what. */
export interface S3Request {
  readonly method: string;
  /** Empty: the list of buckets. */
  readonly bucket: string;
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query: Readonly<Partial<Record<string, string>>>;
}

interface Operation {
  readonly name: string;
  /** What a policy must allow for it; without one only root may do it. */
  readonly action?: string;
  readonly on: 'service' | 'bucket' | 'object';
  readonly methods: readonly string[];
  /** Names in the query that make it this one. */
  readonly with?: readonly string[];
  /** Names that may stand there too; another one makes another request of it. */
  readonly also?: readonly string[];
}

/** The headers of an answer that a link may set. */
export const overridable = [
  'content-type',
  'content-language',
  'content-disposition',
  'cache-control',
  'content-encoding',
  'expires',
];

/** All that this server does. */
const operations = [
  { name: 'ListBuckets', on: 'service', methods: ['GET'] },
  { name: 'HeadBucket', action: 's3:ListBucket', on: 'bucket', methods: ['HEAD'] },
  {
    name: 'ListObjects',
    action: 's3:ListBucket',
    on: 'bucket',
    methods: ['GET'],
    also: ['prefix', 'marker', 'max-keys', 'encoding-type'],
  },
  {
    name: 'ListMultipartUploads',
    action: 's3:ListBucketMultipartUploads',
    on: 'bucket',
    methods: ['GET'],
    with: ['uploads'],
    also: ['prefix', 'encoding-type'],
  },
  { name: 'CreateBucket', action: 's3:CreateBucket', on: 'bucket', methods: ['PUT'] },
  { name: 'PutBucketPolicy', action: 's3:PutBucketPolicy', on: 'bucket', methods: ['PUT'], with: ['policy'] },
  {
    name: 'GetObject',
    action: 's3:GetObject',
    on: 'object',
    methods: ['GET', 'HEAD'],
    also: overridable.map((name) => `response-${name}`),
  },
  { name: 'PutObject', action: 's3:PutObject', on: 'object', methods: ['PUT'] },
  { name: 'DeleteObject', action: 's3:DeleteObject', on: 'object', methods: ['DELETE'] },
  { name: 'CreateMultipartUpload', action: 's3:PutObject', on: 'object', methods: ['POST'], with: ['uploads'] },
  { name: 'UploadPart', action: 's3:PutObject', on: 'object', methods: ['PUT'], with: ['uploadId', 'partNumber'] },
  { name: 'CompleteMultipartUpload', action: 's3:PutObject', on: 'object', methods: ['POST'], with: ['uploadId'] },
  {
    name: 'AbortMultipartUpload',
    action: 's3:AbortMultipartUpload',
    on: 'object',
    methods: ['DELETE'],
    with: ['uploadId'],
  },
] as const satisfies readonly Operation[];

export type OperationName = (typeof operations)[number]['name'];

/** The operation that a request is for; undefined where this server has none. */
export const operationOf = (request: S3Request): (Operation & { readonly name: OperationName }) | undefined => {
  const on = request.bucket === '' ? 'service' : request.key === '' ? 'bucket' : 'object';
  // The client names its call, and a link its signature.
  const names = Object.keys(request.query).filter((name) => name !== 'x-id' && !/^X-Amz-/i.test(name));
  return operations.find((operation: Operation) => {
    const { on: what, methods, with: needed = [], also = [] } = operation;
    const fits = what === on && methods.includes(request.method) && needed.every((name) => names.includes(name));
    return fits && names.every((name) => needed.includes(name) || also.includes(name));
  });
};

/** The actions that a policy may allow. */
export const actions: ReadonlySet<string> = new Set(
  operations.flatMap((operation: Operation) => operation.action ?? []),
);
