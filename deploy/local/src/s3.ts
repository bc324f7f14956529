import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PortTakenError } from './errors.js';
import { onPort } from './ports.js';
import type { S3Credentials } from './s3/signature.js';
import { processHeader, startProcess, type RunningProcess } from './process.js';

export interface S3Options {
  /** Holds the objects; survives restarts. One server at a time. */
  readonly dir: string;
  /** A free one is picked where none is given. Presigned links name it, so keep it over a restart. */
  readonly port?: number;
  /** Of root, who may do everything. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Others, who may do what the policy of a bucket lets them, and nothing before there is one. */
  readonly users?: readonly S3Credentials[];
  /** Created where it is missing. */
  readonly bucket: string;
  /** Default `<dir>/s3.log`. */
  readonly logFile?: string;
}

export interface RunningS3 extends RunningProcess {
  /** `http://127.0.0.1:<port>`; buckets are addressed by path. */
  readonly url: string;
  readonly port: number;
}

/**
 * Starts an S3 server for laptops and tests (s3/) in a child process on 127.0.0.1 and resolves when it answers. Every
 * request needs an AWS Signature Version 4 of one of the keys, in headers or as an unexpired presigned query.
 * Supported: what s3/operations.ts lists, ranges, and presigned overrides of headers. Everything else is answered with
 * 501, also aws-chunked bodies, copies and conditional writes. Rejects with a LocalServerError.
 */
export const startS3 = async (options: S3Options): Promise<RunningS3> =>
  onPort(options.port, 'the object store', async (port) => {
    const url = `http://127.0.0.1:${port}`;
    const running = await startProcess({
      name: 'The object store',
      command: process.execPath,
      args: ['--enable-source-maps', fileURLToPath(new URL('s3/main.js', import.meta.url))],
      port,
      env: {
        ...process.env,
        S3_FOLDER: options.dir,
        S3_PORT: String(port),
        S3_BUCKET: options.bucket,
        S3_ACCESS_KEY_ID: options.accessKeyId,
        S3_SECRET_ACCESS_KEY: options.secretAccessKey,
        S3_USERS: JSON.stringify(options.users ?? []),
      },
      logFile: options.logFile ?? join(options.dir, 's3.log'),
      isReady: async (pid) => {
        const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) });
        await answer.body?.cancel();
        if (answer.headers.get(processHeader) !== String(pid)) throw new PortTakenError(port, 'the object store');
        return true;
      },
    });
    return { ...running, url, port };
  });
