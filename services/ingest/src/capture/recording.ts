import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';

/** One line of a recording: what came in, verbatim, or that something was missed. `us` is when. */
export type Recorded = { readonly us: number; readonly raw: string } | { readonly us: number; readonly lost: string };

export interface RecordingOptions {
  /** A folder of its own for each capture: its parts, in order of name, are one recording. */
  readonly folder: string;
  /** A part is ended when it has so many bytes, or is so old. */
  readonly partBytes: number;
  readonly partMs: number;
  /** What may wait for the disk; beyond it `isFull`. */
  readonly waitingBytesMax: number;
  /** Told when the disk does not take it; it is tried again until it does. */
  readonly onFault: (error: unknown) => void;
}

/** Nanoseconds as other recorders have them: written as digits, since they are beyond what a number holds. */
export const recordedLine = (line: Recorded): string => {
  const what = 'raw' in line ? `"raw": ${JSON.stringify(line.raw)}` : `"lost": ${JSON.stringify(line.lost)}`;
  return `{"recv_ts_ns": ${line.us}000, ${what}}\n`;
};

const retryMs = 1_000;

interface Part {
  readonly path: string;
  readonly handle: FileHandle;
  readonly startedAt: number;
  bytes: number;
}

/**
 * The log of a capture, from which its rows can be made again: appended in the order of calls, in parts `0001.jsonl` and so
 * on, each packed to `.jsonl.gz` when the next begins. The part being written is plain, so that a process that is
 * killed leaves every line but the last ones whole.
 */
export class Recording {
  private waiting: string[] = [];
  private waitingBytes = 0;
  private written = 0;
  private parts = 0;
  private part: Part | null = null;
  private writing: Promise<void> | null = null;
  private packing: Promise<void> = Promise.resolve();
  private isClosing = false;

  private constructor(private readonly options: RecordingOptions) {}

  static async open(options: RecordingOptions): Promise<Recording> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    return new Recording(options);
  }

  append(line: Recorded): void {
    const text = recordedLine(line);
    this.waiting.push(text);
    this.waitingBytes += Buffer.byteLength(text);
    this.begin();
  }

  /** Whoever feeds it should hold back. */
  isFull(): boolean {
    return this.waitingBytes > this.options.waitingBytesMax;
  }

  /** What is on the disk, unpacked. */
  bytes(): number {
    return this.written;
  }

  /** Writes and syncs what waits, for at most the given time; false when something is not on the disk. */
  close(withinMs: number): Promise<boolean> {
    this.isClosing = true;
    return Promise.race([this.ended(), pause(withinMs, false, { ref: false })]);
  }

  private async ended(): Promise<boolean> {
    await this.writing;
    await this.part?.handle.sync();
    await this.part?.handle.close();
    await this.packing;
    return this.waiting.length === 0;
  }

  private begin(): void {
    this.writing ??= this.writeAll().finally(() => {
      this.writing = null;
    });
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const lines = this.waiting;
      this.waiting = [];
      try {
        await this.write(Buffer.from(lines.join('')));
      } catch (error) {
        this.waiting = [...lines, ...this.waiting];
        this.options.onFault(error);
        if (this.isClosing) return;
        await pause(retryMs);
      }
    }
  }

  /** At its place, not at the end: what a full disk took half of is overwritten by the next attempt. */
  private async write(bytes: Buffer): Promise<void> {
    const to = await this.partToWrite();
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await to.handle.write(bytes, done, bytes.length - done, to.bytes + done);
      done += bytesWritten;
    }
    to.bytes += bytes.length;
    this.written += bytes.length;
    this.waitingBytes -= bytes.length;
  }

  private async partToWrite(): Promise<Part> {
    const { folder, partBytes, partMs, onFault } = this.options;
    const last = this.part;
    if (last && last.bytes < partBytes && performance.now() - last.startedAt < partMs) return last;
    if (last) {
      this.part = null;
      await last.handle.close();
      this.packing = this.packing.then(() => packed(last.path)).catch(onFault);
    }
    const path = join(folder, `${String(this.parts + 1).padStart(4, '0')}.jsonl`);
    const handle = await open(path, 'wx', 0o600);
    this.parts += 1;
    this.part = { path, handle, startedAt: performance.now(), bytes: 0 };
    return this.part;
  }
}

/** The packed part appears whole or not at all; until then the plain one stays, and an import passes over the hidden draft. */
const packed = async (path: string): Promise<void> => {
  const draft = join(dirname(path), `.${basename(path)}.gz`);
  await pipeline(createReadStream(path), createGzip(), createWriteStream(draft, { mode: 0o600 }));
  await rename(draft, `${path}.gz`);
  await rm(path);
};
