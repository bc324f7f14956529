import { NoSuchBucket, NoSuchKey, NotFound, S3ServiceException } from '@aws-sdk/client-s3';

/**
 * - `deadline`: no answer in time; what was asked may or may not have happened
 * - `not_found`: the bucket, or the key where one is needed, does not exist
 * - `refused`: the store does not take our key, or does not let it do this
 * - `unavailable`: the store could not be reached or failed, retries included
 * - `full`: the store says that it has no room left for it
 * - `rejected`: the store says that the request itself is wrong, or the object too large for it
 * - `left_open`: an upload failed and its parts could not be removed; `cause` holds both errors
 */
export type ObjectStoreFailure =
  'deadline' | 'not_found' | 'refused' | 'unavailable' | 'full' | 'rejected' | 'left_open';

/** A call of the object store that failed. `cause` is the error of the S3 client. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError';

  constructor(
    readonly failure: ObjectStoreFailure,
    readonly operation: string,
    options: { cause?: unknown; detail?: string } = {},
  ) {
    const detail = options.detail ?? (options.cause instanceof Error ? nameOf(options.cause) : undefined);
    super(`object store: ${operation}: ${failure}${detail === undefined ? '' : ` (${detail})`}`, options);
  }
}

/** The S3 error's own name, the system's code, or the status: an answer to HEAD has no body that could name it. */
const nameOf = (error: Error): string => {
  if ('code' in error && typeof error.code === 'string') return error.code;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status !== undefined && (error.name === 'Unknown' || error.name === 'UnknownError')
    ? `HTTP ${status}`
    : error.name;
};

/** Sorts an error of the S3 client by class and status, never by its text. */
export const failureOf = (error: unknown): ObjectStoreFailure => {
  if (error instanceof NotFound || error instanceof NoSuchKey || error instanceof NoSuchBucket) return 'not_found';
  if (error instanceof S3ServiceException && isFull(error)) return 'full';
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === undefined || status >= 500 || status === 429) return 'unavailable';
  if (status === 401 || status === 403) return 'refused';
  return status === 404 ? 'not_found' : 'rejected';
};

/** Amazon's store is never full. 507 is MinIO's word for it and our local store's, the names are those of a quota in Ceph. */
const isFull = ({ name, $metadata }: S3ServiceException): boolean =>
  $metadata.httpStatusCode === 507 || name === 'QuotaExceeded' || name === 'InsufficientCapacity';
