import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';

/** One line of a recording, received at `us`: a verbatim frame, or a loss. */
export type Recorded = { readonly us: number; readonly raw: string } | { readonly us: number; readonly lost: string };

export interface RecordingOptions {
  /** Each capture has its own folder. Its parts, sorted by name, are one recording. */
  readonly folder: string;
  /** A part ends at this size or age. */
  readonly partBytes: number;
  readonly partMs: number;
  /** Bytes that may wait for the disk before `isFull`. */
  readonly waitingBytesMax: number;
  /** Called when a write fails. It is retried until it succeeds. */
  readonly onFault: (error: unknown) => void;
}

/** Nanoseconds, as other recorders write them, as digits, because a number cannot hold them exactly. */
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
 * The log of a capture, from which its rows can be rebuilt. Lines are appended in call order to parts `0001.jsonl` and
 * so on. Each part is compressed to `.jsonl.gz` when the next begins. The current part is plain text, so a killed
 * process loses only its last lines.
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

  /** The caller should hold back its source. */
  isFull(): boolean {
    return this.waitingBytes > this.options.waitingBytesMax;
  }

  /** Uncompressed bytes. */
  bytes(): number {
    return this.written;
  }

  /** Writes and syncs the waiting lines for at most the given time. Returns false if some did not reach the disk. */
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

  /** Writes at a fixed position: after a partial write to a full disk, the next attempt overwrites it. */
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

/** The compressed part appears complete or not at all. Until then imports read the plain one. */
const packed = async (path: string): Promise<void> => {
  const draft = join(dirname(path), `.${basename(path)}.gz`);
  await pipeline(createReadStream(path), createGzip(), createWriteStream(draft, { mode: 0o600 }));
  await rename(draft, `${path}.gz`);
  await rm(path);
};
