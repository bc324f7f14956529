/** The part of a request that selects the operation and its target. */
export interface S3Request {
  readonly method: string;
  /** Empty for the list of buckets. */
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query: Readonly<Partial<Record<string, string>>>;
}

interface Operation {
  readonly name: string;
  /** The action that a policy must allow. Without one, only root may run it. */
  readonly action?: string;
  readonly on: 'service' | 'bucket' | 'object';
  readonly methods: readonly string[];
  /** Query names that select this operation. */
  readonly with?: readonly string[];
  /** Optional query names. Any other name means a different request. */
  readonly also?: readonly string[];
}

/** Response headers that a link may set. */
export const overridable = [
  'content-type',
  'content-language',
  'content-disposition',
  'cache-control',
  'content-encoding',
  'expires',
];

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

/** The operation of a request, or undefined if this server has none. */
export const operationOf = (request: S3Request): (Operation & { readonly name: OperationName }) | undefined => {
  const on = request.bucket === '' ? 'service' : request.key === '' ? 'bucket' : 'object';
  // The client adds the name of its call, and a link its signature.
  const names = Object.keys(request.query).filter((name) => name !== 'x-id' && !/^X-Amz-/i.test(name));
  return operations.find((operation: Operation) => {
    const { on: what, methods, with: needed = [], also = [] } = operation;
    const fits = what === on && methods.includes(request.method) && needed.every((name) => names.includes(name));
    return fits && names.every((name) => needed.includes(name) || also.includes(name));
  });
};

export const actions: ReadonlySet<string> = new Set(
  operations.flatMap((operation: Operation) => operation.action ?? []),
);
