import { inSpan, type SpanOptions } from '@almanac/runtime';
import { countRequest } from './metrics.js';
import { ObjectStoreError, failureOf } from './object-store-error.js';

export interface CallOptions {
  /** For error messages. */
  readonly operation: string;
  /** For all attempts together. */
  readonly deadlineMs: number;
  /** For one attempt including its answer. Default 15,000. */
  readonly attemptMs?: number;
  /** The caller's signal. Its reason is thrown unchanged. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpOptions {
  readonly abortSignal: AbortSignal;
  readonly requestTimeout: number;
}

/** Sends one request with a deadline over all attempts. The client retries with jitter and a limit. */
export const s3Call = async <T>(options: CallOptions, send: (http: HttpOptions) => Promise<T>): Promise<T> => {
  const { operation, signal } = options;
  signal?.throwIfAborted();
  const deadline = AbortSignal.timeout(options.deadlineMs);
  const abortSignal = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  const beganAt = performance.now();
  try {
    const http = { abortSignal, requestTimeout: options.attemptMs ?? 15_000 };
    const answer = await inSpan(
      () => requestSpan(operation),
      () => send(http),
    );
    countRequest(operation, 'ok', beganAt);
    return answer;
  } catch (error) {
    const failure = deadline.aborted ? 'deadline' : failureOf(error);
    countRequest(operation, signal?.aborted === true ? 'cancelled' : failure, beganAt);
    signal?.throwIfAborted();
    throw new ObjectStoreError(failure, operation, { cause: error });
  }
};

const methods: Readonly<Record<string, string>> = {
  put: 'PutObject',
  head: 'HeadObject',
  delete: 'DeleteObject',
  list: 'ListObjectsV2',
  check: 'HeadBucket',
  'ensure bucket': 'HeadBucket',
  'create bucket': 'CreateBucket',
  'open upload': 'CreateMultipartUpload',
  'upload part': 'UploadPart',
  'complete upload': 'CompleteMultipartUpload',
  'abandon upload': 'AbortMultipartUpload',
  'list uploads': 'ListMultipartUploads',
};

/** Without the object's key, because keys are unbounded in number. */
const requestSpan = (operation: string): SpanOptions => {
  const [, plain = operation, part] = /^(.*?)(?: (\d+))?$/.exec(operation) ?? [];
  const method = `S3/${methods[plain] ?? plain}`;
  return {
    kind: 'client',
    name: method,
    attributes: {
      'rpc.system.name': 'aws-api',
      'rpc.system': 'aws-api',
      'rpc.method': method,
      ...(part === undefined ? {} : { 'aws.s3.part_number': Number(part) }),
    },
  };
};
