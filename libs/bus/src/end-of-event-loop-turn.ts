let end: Promise<void> | undefined;

/**
 * Resolves when all that the network brought in this turn of the event loop has been taken in. What waits for it and
 * then publishes at once goes to the server in one write with all others that did: to write each by itself takes both
 * sides longer than all the rest of a small call. With nothing else to do it takes some microseconds.
 */
export const endOfTurn = (): Promise<void> =>
  (end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  }));
