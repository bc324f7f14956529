/** One call, as every client can make it. */
export interface DrivenCall {
  readonly call: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly client: Readonly<Record<string, unknown>>;
  readonly take: 'items' | 'pages' | 'first_page';
  readonly max: number | undefined;
}

/** What a call returned or threw, as JSON. */
export type Outcome = { readonly result: unknown } | { readonly error: Readonly<Record<string, unknown>> };

/** Makes the calls of scenarios with one client: in this process, or in one of another language. */
export interface ClientDriver {
  run(call: DrivenCall): Promise<Outcome>;
  stop?(): Promise<void>;
}
