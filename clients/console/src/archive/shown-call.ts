/** What a screen shows, as one call of the API. */
export interface ShownCall {
  readonly resource: 'markets' | 'events' | 'series' | 'exports';
  readonly method: string;
  /** The ids of the path, as the clients take them. */
  readonly args: readonly string[];
  readonly params: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Below `/api/v1`. */
  readonly path: string;
}
