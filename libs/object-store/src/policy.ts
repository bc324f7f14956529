interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
}

/** Of IAM's language, as S3 and those who speak its protocol read it. */
export interface Policy<S extends Statement = Statement> {
  readonly Version: '2012-10-17';
  readonly Statement: readonly S[];
}

const arnOf = (bucket: string): string => `arn:aws:s3:::${bucket}`;

/** All that an ObjectStore asks of its bucket but `ensureBucket`; its signed links need no more. A policy to attach to a user. */
export const objectStorePolicy = (bucket: string): Policy => ({
  Version: '2012-10-17',
  Statement: [
    {
      Sid: 'Bucket',
      Effect: 'Allow',
      // The first is also what HeadBucket wants, and what makes 404 of a missing object rather than 403.
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

/** The same as the bucket's own policy, for one user: an ARN at AWS, an access key id at versitygw. */
export const bucketPolicy = (
  bucket: string,
  grantee: string,
): Policy<Statement & { readonly Principal: { readonly AWS: string } }> => {
  const { Version, Statement } = objectStorePolicy(bucket);
  return { Version, Statement: Statement.map((one) => ({ ...one, Principal: { AWS: grantee } })) };
};
