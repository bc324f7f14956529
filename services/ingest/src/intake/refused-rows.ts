import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';

export interface RefusedRow {
  /** One of the two is set, depending on how the file is numbered. */
  readonly line?: number;
  readonly record?: number;
  readonly reason: string;
  /** The part of the row, if a row has several markets. */
  readonly part?: string;
  readonly row: string;
}

export interface RefusedRows {
  add(row: RefusedRow): void;
  /** Writes what was added. Cheap if nothing was. */
  flush(): Promise<void>;
  close(): Promise<void>;
  /** Null until a row is refused. */
  readonly path: () => string | null;
}

const rowCharsMax = 2_000;
/** The key of an object may be longer than the name of a file. */
const nameCharsMax = 180;

/** The file of one import's refused rows, created with the first one. */
export const refusedRows = (folder: string, file: string, startedAt: Date): RefusedRows => {
  const stamp = startedAt.toISOString().replaceAll(':', '');
  let handle: FileHandle | null = null;
  let path: string | null = null;
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const text = lines.join('');
    lines = [];
    if (!handle) {
      await mkdir(folder, { recursive: true });
      [handle, path] = await openNew(folder, `${basename(file).slice(-nameCharsMax)}.${stamp}`);
    }
    await handle.appendFile(text);
  };
  return {
    add: (row) => void lines.push(`${JSON.stringify({ ...row, row: row.row.slice(0, rowCharsMax) })}\n`),
    flush,
    close: async () => {
      await flush();
      await handle?.close();
      handle = null;
    },
    path: () => path,
  };
};

/** Two files of the same name in one import get separate files. */
const openNew = async (folder: string, name: string): Promise<[FileHandle, string]> => {
  for (let attempt = 1; ; attempt += 1) {
    const path = join(folder, `${name}${attempt === 1 ? '' : `.${attempt}`}.refused.jsonl`);
    try {
      return [await open(path, 'ax'), path];
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!taken || attempt >= 1_000) throw error;
    }
  }
};
