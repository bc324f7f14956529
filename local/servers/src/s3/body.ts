import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { S3Error } from './errors.js';

/** Each write costs a turn of the thread pool, so small chunks are joined. */
const writeBytes = 1_024 * 1_024;

/** Writes the body of a request to a new file. Resolves with its MD5 and rejects like readBody. */
export const receiveFile = async (req: IncomingMessage, path: string): Promise<string> => {
  const file = await open(path, 'wx');
  let chunks: Buffer[] = [];
  let bytes = 0;
  const write = async (): Promise<void> => {
    await file.writeFile(Buffer.concat(chunks));
    [chunks, bytes] = [[], 0];
  };
  try {
    const md5 = await readBody(req, async (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= writeBytes) await write();
    });
    await write();
    return md5;
  } finally {
    await file.close();
  }
};

/** Rejects like readBody, and with EntityTooLarge. */
export const readText = async (req: IncomingMessage, bytesMax: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await readBody(req, (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) throw new S3Error('EntityTooLarge', `The body may have ${bytesMax} bytes at most.`);
  });
  return Buffer.concat(chunks).toString('utf8');
};

/** Resolves with the MD5 in hexadecimal. Rejects with BadDigest if the body does not match its headers. */
const readBody = async (req: IncomingMessage, take: (chunk: Buffer) => void | Promise<void>): Promise<string> => {
  const md5 = createHash('md5');
  const signed = /^[0-9a-f]{64}$/.exec(String(req.headers['x-amz-content-sha256']))?.[0];
  const sha256 = signed === undefined ? undefined : createHash('sha256');
  // If the reader stops early, the connection stays open for an answer.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    md5.update(chunk);
    sha256?.update(chunk);
    await take(chunk);
  }
  const digest = md5.digest();
  const base64 = digest.toString('base64');
  if (sha256?.digest('hex') !== signed || (req.headers['content-md5'] ?? base64) !== base64) {
    throw new S3Error('BadDigest', 'The body is not the one that the headers announce.');
  }
  return digest.toString('hex');
};
