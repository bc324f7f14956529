const statuses: Readonly<Record<string, number>> = {
  AccessDenied: 403,
  BucketAlreadyExists: 409,
  InsufficientStorage: 507,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidRange: 416,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
};

/** The answer is XML with this code and message. The status is 400 if the code is not listed. */
export class S3Error extends Error {
  override name = 'S3Error';
  readonly status: number;

  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = statuses[code] ?? 400;
  }
}

/** A full disk has MinIO's status, so that clients can distinguish it from a failing server. */
export const asS3Error = (error: unknown): S3Error => {
  if (error instanceof S3Error) return error;
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  return isFull
    ? new S3Error('InsufficientStorage', 'There is no room left on the disk.', { cause: error })
    : new S3Error('InternalError', 'The server failed; see its log.', { cause: error });
};
