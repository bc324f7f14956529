import { ApiError, ConnectionError, FileError } from '../errors.js';
import type { Limits } from '../http/attempt.js';
import { pauseAfter } from '../http/retry.js';
import { waitMsDefault } from './wait.js';
import type { OpenAnswer, Transport } from '../http/transport.js';
import { sha256 as portableSha256 } from '../sha256.js';
import type { CallOptions, Export } from '../types.js';

/** A SHA-256 that is computed while bytes arrive. Web Crypto cannot do this. */
export interface Hash {
  update(bytes: Uint8Array): void;
  hex(): string;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

export interface DownloadOptions extends Omit<CallOptions, 'idempotencyKey'> {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The file of a ready export. */
export interface ExportFile {
  readonly id: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly filename: string;
}

export const exportFileOf = ({ id, status, bytes, sha256, filename }: Export): ExportFile => {
  if (status === 'ready' && typeof sha256 === 'string') return { id, bytes, sha256, filename: filename ?? id };
  throw new FileError({
    code: `export_${status}`,
    detail: `Export ${id} is ${status}, so it has no file.`,
    remedy: 'Create the export again.',
  });
};

export interface ReadFile {
  readonly transport: Transport;
  readonly file: ExportFile;
  readonly options: DownloadOptions;
  /** The bytes before this one are there already, and are in the hash. */
  readonly from?: number;
  readonly hash?: Hash;
}

/**
 * The bytes of a file. After a lost connection it continues where it was interrupted. Throws at the end if the bytes are
 * not those of the export, so whoever stores them must not use them before the end.
 */
export async function* fileBytes(read: ReadFile): AsyncGenerator<Uint8Array, void, undefined> {
  const { transport, file, options, from = 0, hash = portableSha256() } = read;
  // The deadline of a call is for short answers: a file has as long as bytes arrive.
  const limits = transport.limitsOf(options, Infinity);
  const restoring = restoringLimits(limits);
  let done = from;
  options.onProgress?.({ done, total: file.bytes });
  for (let failures = 0; done < file.bytes;) {
    try {
      for await (const piece of piecesFrom(read, done)) {
        done += piece.length;
        if (done > file.bytes) throw mismatch(file, `more than ${file.bytes} bytes arrived`);
        hash.update(piece);
        failures = 0;
        yield piece;
        options.onProgress?.({ done, total: file.bytes });
      }
      if (done < file.bytes) throw cutShort(file, done);
    } catch (error) {
      const isRestoring = error instanceof ApiError && error.code === 'export_restoring';
      await (isRestoring ? pauseAfter(error, 0, restoring) : pauseAfter(error, failures, limits));
      if (!isRestoring) failures += 1;
    }
  }
  const found = hash.hex();
  if (found !== file.sha256) throw mismatch(file, `their SHA-256 is ${found} instead of ${file.sha256}`);
}

/** A file that is lost is made again, which takes as long as its export. So it has the time of a wait for one. */
const restoringLimits = (limits: Limits): Limits => {
  return { ...limits, maxRetries: 1, endsMs: Math.min(limits.endsMs, performance.now() + waitMsDefault) };
};

const piecesFrom = async function* (read: ReadFile, done: number): AsyncGenerator<Uint8Array, void, undefined> {
  const { file } = read;
  const answer = await openFrom(read, done);
  const { status, headers } = answer.response;
  const range = headers.get('content-range');
  const isRest = status === 206 && range?.startsWith(`bytes ${done}-`) === true;
  if (done > 0 && !isRest) {
    answer.close();
    throw mismatch(file, 'the server has another file by now');
  }
  yield* answer.pieces;
};

const openFrom = ({ transport, file, options }: ReadFile, done: number): Promise<OpenAnswer> => {
  const headers: Record<string, string> = done === 0 ? {} : { Range: `bytes=${done}-`, 'If-Range': `"${file.sha256}"` };
  const request = { operation: 'downloadExport', path: { export_id: file.id }, headers } as const;
  return transport.open(request, { ...options, deadlineMs: options.deadlineMs ?? Infinity, maxRetries: 0 });
};

const mismatch = ({ id }: ExportFile, what: string): FileError =>
  new FileError({
    code: 'file_mismatch',
    detail: `The bytes of export ${id} are damaged: ${what}.`,
    remedy: 'Nothing was stored. Download the file again. If it happens again, report the export.',
  });

const cutShort = ({ id, bytes }: ExportFile, done: number): ConnectionError =>
  new ConnectionError(
    {
      code: 'connection_failed',
      detail: `The connection ended after ${done} of ${bytes} bytes of export ${id}.`,
      remedy: 'Download it again. A file that is partly there is continued.',
    },
    true,
  );
