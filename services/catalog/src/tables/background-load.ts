const retryMs = 1_000;

/** Loads complete tables into memory in the background. `read` returns false if the data is too large. */
export const backgroundLoad = (
  read: (signal: AbortSignal) => Promise<boolean>,
  log: { error(facts: object, message: string): void },
) => {
  const stopping = new AbortController();
  let state: 'failed' | 'reading' | 'there' | 'too much' = 'failed';
  let isReloadRequested = false;
  let restsUntil = 0;

  const run = async (): Promise<void> => {
    state = 'reading';
    try {
      let fits = true;
      do {
        isReloadRequested = false;
        fits = await read(stopping.signal);
      } while (fits && isReloadRequested);
      state = fits ? 'there' : 'too much';
    } catch (error) {
      state = 'failed';
      restsUntil = performance.now() + retryMs;
      if (!stopping.signal.aborted) log.error({ err: error }, 'the catalogue could not be loaded into memory');
    }
  };
  const start = (): void => {
    if (!stopping.signal.aborted) void run();
  };

  return {
    /** Whether the data is loaded. After a failure, a request starts a new attempt, but not too often. */
    isLoaded: () => {
      if (state === 'failed' && performance.now() > restsUntil) start();
      return state === 'there';
    },
    /** The data is too large for memory, for the lifetime of this process. */
    get isTooLarge() {
      return state === 'too much';
    },
    /** Loads the data again after a change that was not reported. A load in progress is repeated. */
    read: () => {
      if (state === 'reading') isReloadRequested = true;
      else if (state !== 'too much') start();
    },
    abandon: () => {
      state = 'too much';
    },
    stop: () => stopping.abort(),
  };
};
