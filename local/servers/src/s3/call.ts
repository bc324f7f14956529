import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BucketPolicies } from './bucket-policies.js';
import type { ObjectFiles } from './object-files.js';
import type { S3Request } from './operations.js';
import type { Uploads } from './uploads.js';

export interface Call extends S3Request {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly files: ObjectFiles;
  readonly uploads: Uploads;
  readonly policies: BucketPolicies;
}
