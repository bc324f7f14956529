/** An error in ClickHouse's own form: number, sentence, and the name of the number in its source. */
export class EngineError extends Error {
  override name = 'EngineError';

  constructor(
    readonly code: number,
    readonly type: string,
    sentence: string,
  ) {
    super(`Code: ${code}. DB::Exception: ${sentence} (${type})`);
  }
}

/** The number and text that a client reads. */
export interface EngineFailure {
  readonly code: number;
  readonly text: string;
}

/** Describes an error of the engine or a bug of this process. */
export const describeError = (error: unknown): EngineFailure => {
  const message = error instanceof Error ? error.message : String(error);
  const known = /Code: (\d+)\. DB::Exception: [\s\S]*/.exec(message);
  if (known === null) return { code: 1002, text: `Code: 1002. DB::Exception: ${message} (UNKNOWN_EXCEPTION)` };
  return { code: Number(known[1]), text: known[0] };
};

/** HTTP statuses from ClickHouse's handler (exceptionCodeToHTTPStatus). Every other number is a 500. */
const statusOfCode = new Map<number, number>([
  ...[16, 26, 27, 36, 38, 41, 43, 44, 46, 47, 50, 53, 62, 69, 72, 115, 117, 130, 377, 456, 457].map(pair(400)),
  ...[60, 81].map(pair(404)),
  ...[164, 497, 516].map(pair(403)),
  ...[158, 202].map(pair(503)),
  ...[159, 160, 209].map(pair(408)),
  [131, 413],
]);

function pair(status: number): (code: number) => [number, number] {
  return (code) => [code, status];
}

export const httpStatusOf = (code: number): number => statusOfCode.get(code) ?? 500;

/** With this number the engine has aborted for good. Only a new process helps. */
export const isFatal = (code: number): boolean => code === 236;

/** Returns the error as a value, so that a failure nobody awaits yet is not an unhandled rejection. */
export const settled = (work: Promise<unknown>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new EngineError(1002, 'UNKNOWN_EXCEPTION', String(error))),
  );
