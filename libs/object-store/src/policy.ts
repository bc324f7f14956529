interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
}

/** An IAM policy, as S3 and compatible stores read it. */
export interface Policy<S extends Statement = Statement> {
  readonly Version: '2012-10-17';
  readonly Statement: readonly S[];
}

const arnOf = (bucket: string): string => `arn:aws:s3:::${bucket}`;

/** The policy for a user with the rights of all ObjectStore calls except `ensureBucket`. Signed links need no more. */
export const objectStorePolicy = (bucket: string): Policy => ({
  Version: '2012-10-17',
  Statement: [
    {
      Sid: 'Bucket',
      Effect: 'Allow',
      // HeadBucket needs the first one. Without it, a missing object yields 403 instead of 404.
      Action: ['s3:ListBucket', 's3:ListBucketMultipartUploads'],
      Resource: [arnOf(bucket)],
    },
    {
      Sid: 'Objects',
      Effect: 'Allow',
      Action: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
      Resource: [`${arnOf(bucket)}/*`],
    },
  ],
});

/** The same rights as a bucket policy for one user: an ARN at AWS, an access key id at versitygw. */
export const bucketPolicy = (
  bucket: string,
  grantee: string,
): Policy<Statement & { readonly Principal: { readonly AWS: string } }> => {
  const { Version, Statement } = objectStorePolicy(bucket);
  return { Version, Statement: Statement.map((one) => ({ ...one, Principal: { AWS: grantee } })) };
};
