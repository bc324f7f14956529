/** Something of the tables that is read whole into memory, in the background. */
export interface BackgroundLoad {
  /** Whether it is there; one that could not be read is tried again when it is asked for, and not too often. */
  isLoaded(): boolean;
  /** It is too much for memory, for as long as this process runs. */
  readonly isTooLarge: boolean;
  /** Reads it, again if it was or is being read: something changed of which it was not told. */
  read(): void;
  abandon(): void;
  stop(): void;
}

const retryMs = 1_000;

/** `read` puts it into memory, and answers false where it is too much. */
export const backgroundLoad = (
  read: (signal: AbortSignal) => Promise<boolean>,
  log: { error(facts: object, message: string): void },
): BackgroundLoad => {
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
      if (!stopping.signal.aborted) log.error({ err: error }, 'what is kept of the catalogue could not be read');
    }
  };
  const start = (): void => {
    if (!stopping.signal.aborted) void run();
  };

  return {
    isLoaded: () => {
      if (state === 'failed' && performance.now() > restsUntil) start();
      return state === 'there';
    },
    get isTooLarge() {
      return state === 'too much';
    },
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
