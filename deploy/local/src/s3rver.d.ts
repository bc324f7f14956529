// s3rver ships no types; these are the parts that the front and the store use.
declare module 's3rver' {
  import type { RequestListener } from 'node:http';
  import type FilesystemStore from 's3rver/lib/stores/filesystem.js';

  class S3rver {
    constructor(options: { directory: string; silent: boolean; vhostBuckets: boolean });
    store: FilesystemStore;
    context: { store: FilesystemStore };
    callback(): RequestListener;
  }
  export = S3rver;
}

declare module 's3rver/lib/stores/filesystem.js' {
  import type { Readable } from 'node:stream';
  import type S3Object from 's3rver/lib/models/object.js';

  class FilesystemStore {
    constructor(rootDirectory: string);
    rootDirectory: string;
    getBucketPath(bucket: string): string;
    getResourcePath(bucket: string, key: string | undefined, resource: string): string;
    getBucket(bucket: string): Promise<object | null>;
    putBucket(bucket: string): Promise<object | null>;
    /** Rejects with ENOENT where there is no object. */
    getMetadata(bucket: string, key: string): Promise<S3Object.Metadata & { etag: string; 'content-length': number }>;
    putMetadata(bucket: string, key: string, metadata: S3Object.Metadata, md5?: string): Promise<void>;
    getObject(bucket: string, key: string, options?: { start?: number; end?: number }): Promise<S3Object | null>;
    putObject(object: S3Object): Promise<{ size: number; md5: string }>;
    putPart(
      bucket: string,
      uploadId: string,
      partNumber: string,
      content: Readable,
    ): Promise<{ size: number; md5: string }>;
    putObjectMultipart(
      bucket: string,
      uploadId: string,
      parts: { number: number; etag: string }[],
    ): Promise<{ size: number; md5: string }>;
  }
  export = FilesystemStore;
}

declare module 's3rver/lib/models/object.js' {
  import type { Readable } from 'node:stream';

  class S3Object {
    constructor(bucket: string, key: string, content: Readable | Buffer | null, metadata: S3Object.Metadata);
    static ALLOWED_METADATA: string[];
    bucket: string;
    key: string;
    content: Readable | Buffer | null;
    metadata: S3Object.Metadata;
    range?: { start: number; end: number };
  }
  namespace S3Object {
    type Metadata = Record<string, string | number>;
  }
  export = S3Object;
}

declare module 's3rver/lib/models/error.js' {
  class S3Error extends Error {
    constructor(code: string, message: string, detail?: Record<string, string>);
    code: string;
    status: number;
    toXML(): string;
  }
  export = S3Error;
}

declare module 's3rver/lib/models/account.js' {
  class AWSAccount {
    static DUMMY_ACCOUNT: AWSAccount;
    createKeyPair(accessKeyId: string, secretAccessKey: string): void;
    revokeAccessKey(accessKeyId: string): void;
  }
  export = AWSAccount;
}
