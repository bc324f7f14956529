import type { IncomingMessage } from 'node:http';
import { ImportError } from '../errors.js';
import type { Content, RandomAccess } from '../sources/packed/content.js';
import { type Http, type RequestHeaders, type Target, TransientError } from './http.js';

/** What the first answer states about an object. */
export interface RemoteFacts {
  /** Null if the server does not state it. */
  readonly size: number | null;
  /** Of two equal ones, the bytes are equal. Null if the server states neither an ETag nor a time. */
  readonly identity: string | null;
  /** Whether the server reads at any place. */
  readonly hasRanges: boolean;
  /** The first bytes. */
  readonly head: Buffer;
}

export const headBytesMax = 64 * 1024;

/** Asks for the first bytes. */
export const remoteFacts = async (http: Http, target: Target): Promise<RemoteFacts> =>
  http.retried(target.name, async () => {
    const answer = await http.get(target, { range: `bytes=0-${headBytesMax - 1}` }, [416]);
    const isPart = answer.statusCode === 206;
    const size = isPart || answer.statusCode === 416 ? sizeInRange(answer) : lengthOf(answer);
    const parts: Buffer[] = [];
    let bytes = 0;
    if (answer.statusCode === 416) answer.destroy();
    else
      for await (const block of http.body(target.name, answer)) {
        parts.push(block);
        bytes += block.length;
        if (bytes >= headBytesMax) break;
      }
    const head = Buffer.concat(parts, Math.min(bytes, headBytesMax));
    if (answer.statusCode === 416 && size !== null && size > 0) throw changed(target.name);
    if (size !== null && head.length < Math.min(size, headBytesMax)) throw ended(head.length, size);
    const isWhole = answer.statusCode === 416 || head.length < headBytesMax;
    return {
      size: size ?? (isWhole ? head.length : null),
      identity: identityOf(answer, size),
      hasRanges: isPart && size !== null,
      head,
    };
  });

const identityOf = ({ headers }: IncomingMessage, size: number | null): string | null => {
  const { etag, 'last-modified': modified } = headers;
  if (etag !== undefined) return etag;
  return modified === undefined || size === null ? null : `${size} bytes, ${modified}`;
};

const lengthOf = ({ headers }: IncomingMessage): number | null =>
  headers['content-length'] === undefined ? null : Number(headers['content-length']);

const sizeInRange = ({ headers }: IncomingMessage): number | null => {
  const size = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  return size === undefined ? null : Number(size);
};

const changed = (name: string): ImportError =>
  new ImportError(`${name}: the object changed while it was read. Import it again`);

const ended = (at: number, size: number): TransientError =>
  new TransientError(`the connection ended at byte ${at} of ${size}`);

/** The bytes of an object. Nothing of it is stored on disk. */
export const remoteContent = (http: Http, target: Target, facts: RemoteFacts): Content => {
  const { name } = target;
  const { size, hasRanges, head } = facts;
  let bytesRead = 0;
  async function* blocks(): AsyncGenerator<Buffer, void, undefined> {
    const isWhole = size !== null && size <= head.length;
    let at = hasRanges || isWhole ? head.length : 0;
    if (at > 0) yield head;
    bytesRead = at;
    if (isWhole) return;
    for await (const block of rangeBlocks(http, target, facts, { from: at, to: size })) {
      at += block.length;
      bytesRead = at;
      yield block;
    }
  }
  return {
    name,
    sizeBytes: size ?? 0,
    bytesRead: () => bytesRead,
    random: hasRanges && size !== null ? randomAccess(http, target, { ...facts, size }) : null,
    path: null,
    blocks,
    close: () => Promise.resolve(),
  };
};

interface Range {
  readonly from: number;
  /** Null: to the end, wherever that is. */
  readonly to: number | null;
}

/** The bytes of a range. Where the connection breaks, it continues. */
async function* rangeBlocks(
  http: Http,
  target: Target,
  { identity, size }: RemoteFacts,
  { from, to }: Range,
): AsyncGenerator<Buffer, void, undefined> {
  const { name } = target;
  const condition: RequestHeaders = identity?.startsWith('"') === true ? { 'if-match': identity } : {};
  let at = from;
  for (let failures = 0; to === null || at < to;) {
    try {
      const range: RequestHeaders =
        at === 0 && to === size ? {} : { range: `bytes=${at}-${to === null || to === size ? '' : to - 1}` };
      const answer = await http.get(target, { ...range, ...condition }, [412, 416]);
      const status = answer.statusCode ?? 0;
      const sizeNow = status === 206 ? sizeInRange(answer) : lengthOf(answer);
      if (status >= 400 || sizeNow !== size || identityOf(answer, sizeNow) !== identity) {
        answer.destroy();
        throw changed(name);
      }
      if (status === 206 && !answer.headers['content-range']?.startsWith(`bytes ${at}-`)) {
        answer.destroy();
        throw new ImportError(`${name}: the server answers other bytes than those from byte ${at}`);
      }
      // A server without ranges begins again.
      let skip = status === 206 ? 0 : at;
      for await (const block of http.body(name, answer)) {
        const rest = block.subarray(Math.min(skip, block.length));
        skip -= block.length - rest.length;
        const wanted = to === null ? rest : rest.subarray(0, to - at);
        at += wanted.length;
        if (wanted.length === 0) continue;
        failures = 0;
        yield wanted;
        if (to !== null && at >= to) return;
      }
      if (to === null) return;
      throw ended(at, to);
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      if (at > from && identity === null)
        throw new ImportError(
          `${name}: ${error.message}, and the server states neither an ETag nor a time, so the rest may be that of another object`,
          { cause: error },
        );
      await http.afterFailure(name, error, (failures += 1));
    }
  }
}

/** Large enough for few requests, small enough for one block of each column of a table. */
const blockBytes = 1024 * 1024;
const blocksMax = 32;

/** Blocks that were read last stay in memory, because neighbouring reads are small. */
const randomAccess = (http: Http, target: Target, facts: RemoteFacts & { readonly size: number }): RandomAccess => {
  const { size, head } = facts;
  const known = new Map<number, Buffer>();
  const fetched = async (from: number, to: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const block of rangeBlocks(http, target, facts, { from, to })) parts.push(block);
    return Buffer.concat(parts, to - from);
  };
  const blockAt = async (index: number): Promise<Buffer> => {
    const from = index * blockBytes;
    const block = known.get(index) ?? (await fetched(from, Math.min(size, from + blockBytes)));
    known.delete(index);
    known.set(index, block);
    for (const oldest of known.keys()) if (known.size > blocksMax) known.delete(oldest);
    return block;
  };
  return {
    size,
    read: async (at, length) => {
      const to = Math.min(size, at + length);
      if (to <= at) return Buffer.alloc(0);
      if (to <= head.length) return head.subarray(at, to);
      const [first, last] = [Math.floor(at / blockBytes), Math.floor((to - 1) / blockBytes)];
      if (last - first > 1) return fetched(at, to);
      const parts: Buffer[] = [];
      for (let index = first; index <= last; index += 1) {
        const start = index * blockBytes;
        parts.push((await blockAt(index)).subarray(Math.max(0, at - start), to - start));
      }
      // Callers may keep or change what they read.
      return parts.length === 1 ? Buffer.from(parts[0] ?? '') : Buffer.concat(parts);
    },
  };
};
