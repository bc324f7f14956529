let end: Promise<void> | undefined;

/**
 * Resolves when the network data of this turn of the event loop has been read. All code that awaits it and then
 * publishes shares one write to the server. A write per message takes both sides longer than the rest of a small
 * call. On an idle process the wait takes a few microseconds.
 */
export const endOfTurn = (): Promise<void> =>
  (end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  }));
