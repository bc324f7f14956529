export type Location = readonly (string | number)[];

/** One item of a 422, in the words of FastAPI and pydantic. */
export interface Fault {
  readonly type: string;
  readonly loc: Location;
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** What was sent does not fit what the endpoint takes: all faults at once, path, query, body. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError';

  constructor(readonly faults: readonly Fault[]) {
    super(`${faults.length} faults in what was sent`);
  }
}
