import { accountSlots, type ReadCaller } from '@almanac/runtime';

export interface FileQueueOptions {
  /** Files that are prepared at once. */
  readonly concurrency: number;
  /** Files with at least this many rows are large. They leave one worker free for the others. */
  readonly largeFromRows: number;
}

export interface WaitingFile {
  /** The account that requested the file first. */
  readonly account: string;
  readonly rows: number;
  readonly signal: AbortSignal;
}

export type FileQueue = ReturnType<typeof fileQueue>;

/** Decides which waiting file a free worker prepares. Accounts take turns, and small files overtake large ones. */
export const fileQueue = ({ concurrency, largeFromRows }: FileQueueOptions) => {
  const workers = accountSlots({ atOnce: concurrency });
  const large = accountSlots({ atOnce: Math.max(1, concurrency - 1) });
  return {
    /** Throws if the signal aborts before the file's turn. */
    run: <T>({ account, rows, signal }: WaitingFile, work: () => Promise<T>): Promise<T> => {
      const caller: ReadCaller = { account, signal, remainingMs: Infinity };
      const inTurn = (): Promise<T> => workers.run(caller, work);
      return rows < largeFromRows ? inTurn() : large.run(caller, inTurn);
    },
  };
};
