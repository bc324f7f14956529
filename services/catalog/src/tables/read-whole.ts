/** Something of the tables that is read whole into memory, in the background. */
export interface ReadWhole {
  /** Whether it is there; one that could not be read is tried again when it is asked for, and not too often. */
  isThere(): boolean;
  /** It is too much for memory, for as long as this process runs. */
  readonly isTooMuch: boolean;
  /** Reads it, again if it was or is being read: something changed of which it was not told. */
  read(): void;
  giveUp(): void;
  stop(): void;
}

const againMs = 1_000;

/** `read` puts it into memory, and answers false where it is too much. */
export const readWhole = (
  read: (signal: AbortSignal) => Promise<boolean>,
  log: { error(facts: object, message: string): void },
): ReadWhole => {
  const stopping = new AbortController();
  let state: 'failed' | 'reading' | 'there' | 'too much' = 'failed';
  let isAskedAgain = false;
  let restsUntil = 0;

  const run = async (): Promise<void> => {
    state = 'reading';
    try {
      let fits = true;
      do {
        isAskedAgain = false;
        fits = await read(stopping.signal);
      } while (fits && isAskedAgain);
      state = fits ? 'there' : 'too much';
    } catch (error) {
      state = 'failed';
      restsUntil = performance.now() + againMs;
      if (!stopping.signal.aborted) log.error({ err: error }, 'what is kept of the catalogue could not be read');
    }
  };
  const start = (): void => {
    if (!stopping.signal.aborted) void run();
  };

  return {
    isThere: () => {
      if (state === 'failed' && performance.now() > restsUntil) start();
      return state === 'there';
    },
    get isTooMuch() {
      return state === 'too much';
    },
    read: () => {
      if (state === 'reading') isAskedAgain = true;
      else if (state !== 'too much') start();
    },
    giveUp: () => {
      state = 'too much';
    },
    stop: () => stopping.abort(),
  };
};
