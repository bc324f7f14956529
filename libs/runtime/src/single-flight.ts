export interface SharedCall<Call> {
  readonly call: Call;
  /** The signals of the callers that still wait, in the order in which they joined. */
  readonly callers: ReadonlySet<AbortSignal>;
}

interface OpenCall<Call> extends SharedCall<Call> {
  readonly callers: Set<AbortSignal>;
  readonly abandoned: AbortController;
}

export interface SingleFlight<Call> {
  /**
   * Joins the running call for `key` if there is one that `mayJoin` accepts, else starts one. The signal passed to
   * `start` aborts when the signals of all callers have aborted. A caller without a signal never leaves.
   */
  join(
    key: string,
    start: (signal: AbortSignal) => Call,
    caller?: AbortSignal,
    mayJoin?: (call: Call) => boolean,
  ): SharedCall<Call>;
  /** Later callers join no running call. Current callers still get their results. */
  clear(): void;
}

/** Runs one call at a time per key. Callers during a call share its result. */
export const singleFlight = <Call extends { readonly result: Promise<unknown> }>(): SingleFlight<Call> => {
  const open = new Map<string, OpenCall<Call>>();

  const close = (key: string, shared: OpenCall<Call>): void => {
    if (open.get(key) === shared) open.delete(key);
  };
  const begin = (key: string, start: (signal: AbortSignal) => Call): OpenCall<Call> => {
    const abandoned = new AbortController();
    const shared: OpenCall<Call> = { call: start(abandoned.signal), callers: new Set(), abandoned };
    open.set(key, shared);
    const settled = (): void => close(key, shared);
    shared.call.result.then(settled, settled);
    return shared;
  };
  const add = (key: string, shared: OpenCall<Call>, caller: AbortSignal): void => {
    const leave = (): void => {
      shared.callers.delete(caller);
      if (shared.callers.size > 0) return;
      close(key, shared);
      shared.abandoned.abort(caller.reason);
    };
    shared.callers.add(caller);
    if (caller.aborted) return leave();
    caller.addEventListener('abort', leave, { once: true });
    const settled = (): void => caller.removeEventListener('abort', leave);
    shared.call.result.then(settled, settled);
  };
  return {
    join: (key, start, caller, mayJoin = () => true) => {
      const known = open.get(key);
      const shared = known !== undefined && mayJoin(known.call) ? known : begin(key, start);
      if (caller !== undefined) add(key, shared, caller);
      return shared;
    },
    clear: () => open.clear(),
  };
};
