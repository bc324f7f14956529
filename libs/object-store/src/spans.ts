import type { SpanOptions } from '@almanac/runtime';

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
export const requestSpan = (operation: string): SpanOptions => {
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
