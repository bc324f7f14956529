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

/** Keys of the slabs of timeseries begin with it. */
export const slabsPrefix = 'slabs/';

/** The policy for a user that stores and reads slabs, and nothing else. It may not list them. */
export const slabsPolicy = (bucket: string): Policy => ({
  Version: '2012-10-17',
  Statement: [
    {
      Sid: 'Slabs',
      Effect: 'Allow',
      Action: ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'],
      Resource: [`${arnOf(bucket)}/${slabsPrefix}*`],
    },
  ],
});

/** Users of a bucket: an ARN at AWS, an access key id at versitygw. */
export interface Grantees {
  /** With the rights of `objectStorePolicy`. */
  readonly all: string;
  /** With the rights of `slabsPolicy`. */
  readonly slabs?: string | undefined;
}

type GrantedStatement = Statement & { readonly Principal: { readonly AWS: string } };

/** The same rights as one policy of the bucket. */
export const bucketPolicy = (bucket: string, { all, slabs }: Grantees): Policy<GrantedStatement> => {
  const granted = (policy: Policy, grantee: string): GrantedStatement[] =>
    policy.Statement.map((one) => ({ ...one, Principal: { AWS: grantee } }));
  return {
    Version: '2012-10-17',
    Statement: [
      ...granted(objectStorePolicy(bucket), all),
      ...(slabs === undefined ? [] : granted(slabsPolicy(bucket), slabs)),
    ],
  };
};
