import { NoSuchBucket, NoSuchKey, NotFound, S3ServiceException } from '@aws-sdk/client-s3';

/**
 * - `deadline`: no answer in time; the request may or may not have taken effect
 * - `not_found`: the bucket, or a required key, does not exist
 * - `refused`: the store rejects the credentials or denies the operation
 * - `unavailable`: the store was unreachable or failed, including retries
 * - `full`: the store has no space left
 * - `rejected`: the request is invalid, or the object is too large
 * - `left_open`: an upload failed and its parts could not be removed; `cause` has both errors
 */
export type ObjectStoreFailure =
  'deadline' | 'not_found' | 'refused' | 'unavailable' | 'full' | 'rejected' | 'left_open';

/** A failed request to the object store. `cause` is the error of the S3 client. */
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

/** The S3 error's name, the system's error code, or the status. An answer to HEAD has no body with a name. */
const nameOf = (error: Error): string => {
  if ('code' in error && typeof error.code === 'string') return error.code;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status !== undefined && (error.name === 'Unknown' || error.name === 'UnknownError')
    ? `HTTP ${status}`
    : error.name;
};

/** Classifies an error of the S3 client by class and status, never by its text. */
export const failureOf = (error: unknown): ObjectStoreFailure => {
  if (error instanceof NotFound || error instanceof NoSuchKey || error instanceof NoSuchBucket) return 'not_found';
  if (error instanceof S3ServiceException && isFull(error)) return 'full';
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === undefined || status >= 500 || status === 429) return 'unavailable';
  if (status === 401 || status === 403) return 'refused';
  return status === 404 ? 'not_found' : 'rejected';
};

/** Amazon's store is never full. MinIO and our local store answer 507; the names are those of a quota in Ceph. */
const isFull = ({ name, $metadata }: S3ServiceException): boolean =>
  $metadata.httpStatusCode === 507 || name === 'QuotaExceeded' || name === 'InsufficientCapacity';
