/** A call in flight, as one of its callers sees it. */
export interface Flight<Call> {
  readonly call: Call;
  /** The signals of the callers that still wait, in the order in which they joined. */
  readonly callers: ReadonlySet<AbortSignal>;
}

interface OpenFlight<Call> extends Flight<Call> {
  readonly callers: Set<AbortSignal>;
  readonly abandoned: AbortController;
}

export interface SingleFlight<Call> {
  /**
   * Joins the call in flight for `key` if there is one that `mayJoin` accepts, or starts one. The signal that `start`
   * gets aborts when every caller's signal has; a caller without a signal never leaves.
   */
  join(
    key: string,
    start: (signal: AbortSignal) => Call,
    caller?: AbortSignal,
    mayJoin?: (call: Call) => boolean,
  ): Flight<Call>;
  /** Later callers join none of the calls in flight; their callers still get the results. */
  clear(): void;
}

/** Runs one call at a time for each key: callers that come while it is in flight share its result. */
export const singleFlight = <Call extends { readonly result: Promise<unknown> }>(): SingleFlight<Call> => {
  const open = new Map<string, OpenFlight<Call>>();

  const close = (key: string, flight: OpenFlight<Call>): void => {
    if (open.get(key) === flight) open.delete(key);
  };
  const begin = (key: string, start: (signal: AbortSignal) => Call): OpenFlight<Call> => {
    const abandoned = new AbortController();
    const flight: OpenFlight<Call> = { call: start(abandoned.signal), callers: new Set(), abandoned };
    open.set(key, flight);
    const settled = (): void => close(key, flight);
    flight.call.result.then(settled, settled);
    return flight;
  };
  const add = (key: string, flight: OpenFlight<Call>, caller: AbortSignal): void => {
    const leave = (): void => {
      flight.callers.delete(caller);
      if (flight.callers.size > 0) return;
      close(key, flight);
      flight.abandoned.abort(caller.reason);
    };
    flight.callers.add(caller);
    if (caller.aborted) return leave();
    caller.addEventListener('abort', leave, { once: true });
    const settled = (): void => caller.removeEventListener('abort', leave);
    flight.call.result.then(settled, settled);
  };
  return {
    join: (key, start, caller, mayJoin = () => true) => {
      const known = open.get(key);
      const flight = known !== undefined && mayJoin(known.call) ? known : begin(key, start);
      if (caller !== undefined) add(key, flight, caller);
      return flight;
    },
    clear: () => open.clear(),
  };
};
