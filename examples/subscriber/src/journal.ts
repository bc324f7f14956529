import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';

/** A line is a JSON object with the sequence of its event. */
const entry = z.looseObject({ seq: z.int() });
export type Entry = z.output<typeof entry>;

/** A file of entries, the oldest first. An appended entry is on disk, whatever ends this process. */
export interface Journal {
  /** The sequence of the last entry, 0 before the first. */
  readonly lastSeq: number;
  append(next: Entry): Promise<void>;
  close(): Promise<void>;
}

/** Removes an incomplete last line, which a killed process can leave behind: its event is redelivered. */
export const openJournal = async (path: string): Promise<Journal> => {
  const file = await open(path, 'a+');
  const { from, to } = await lastLine(path);
  await file.truncate(to);
  let lastSeq = from === to ? 0 : await seqAt(file, from, to);
  return {
    get lastSeq() {
      return lastSeq;
    },
    append: async (next) => {
      await file.appendFile(`${JSON.stringify(next)}\n`);
      await file.datasync();
      lastSeq = next.seq;
    },
    close: () => file.close(),
  };
};

const lineEnd = '\n'.charCodeAt(0);

/** The byte range of the last complete line. Both are 0 without one. */
const lastLine = async (path: string): Promise<{ from: number; to: number }> => {
  let [at, from, to] = [0, 0, 0];
  for await (const part of createReadStream(path)) {
    const bytes = z.instanceof(Buffer).parse(part);
    for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, end + 1)) {
      [from, to] = [to, at + end + 1];
    }
    at += bytes.length;
  }
  return { from, to };
};

const seqAt = async (file: FileHandle, from: number, to: number): Promise<number> => {
  const { buffer } = await file.read({ buffer: Buffer.alloc(to - from), position: from });
  return entry.parse(JSON.parse(buffer.toString('utf8'))).seq;
};
