import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PortTakenError } from './errors.js';
import { onPort } from './ports.js';
import type { S3Credentials } from './s3/signature.js';
import { processHeader, startProcess, type RunningProcess } from './process.js';

export interface S3Options {
  /** Holds the objects and survives restarts. One server at a time. */
  readonly dir: string;
  /** Default: a free one. Presigned links contain it, so use the same port after a restart. */
  readonly port?: number;
  /** The root key, which may do everything. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Other users. A bucket's policy decides what they may do; without one, nothing. */
  readonly users?: readonly S3Credentials[];
  /** Created if missing. */
  readonly bucket: string;
  /** Default `<dir>/s3.log`. */
  readonly logFile?: string;
  /** Ends a start that has not finished. */
  readonly stopping?: AbortSignal | undefined;
}

export interface RunningS3 extends RunningProcess {
  /** `http://127.0.0.1:<port>`. Buckets are addressed by path. */
  readonly url: string;
  readonly port: number;
}

/**
 * Starts an S3 server for laptops and tests (s3/) as a child process on 127.0.0.1. Resolves when it answers. Every
 * request needs an AWS Signature Version 4 of one of the keys, in headers or as an unexpired presigned query. It
 * supports the operations in s3/operations.ts, ranges, and presigned header overrides. Everything else gets a 501,
 * including aws-chunked bodies, copies and conditional writes. Rejects with a LocalServerError.
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
      stopping: options.stopping,
      isReady: async (pid) => {
        const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) });
        await answer.body?.cancel();
        if (answer.headers.get(processHeader) !== String(pid)) throw new PortTakenError(port, 'the object store');
        return true;
      },
    });
    return { ...running, url, port };
  });
