/** What the documentation says about an error. Backticks mark code. */
export interface ErrorText {
  readonly meaning: string;
  /** Ends the sentence "The server sends it if …". */
  readonly when: string;
  readonly cause: string;
  readonly remedy: string;
}

/** Everything about one code of an error that may cross the bus. */
export interface ErrorRecord extends ErrorText {
  /** Of the HTTP answer, which only the gateway sends. */
  readonly status: number;
  readonly example: { readonly detail: string; readonly more?: Readonly<Record<string, unknown>> };
}

export type ErrorRecords = Readonly<Record<string, ErrorRecord>>;
