/**
 * Settles like `work`, or after `ms` with the result of `onTimeout`. A later result is dropped. Every request to JetStream
 * runs through here, and an aborted `timers/promises` would create two errors with their stacks for each.
 */
export const withTimeout = async <T, Late>(ms: number, work: Promise<T>, onTimeout: () => Late): Promise<T | Late> => {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  try {
    return await Promise.race([work, late.promise.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
};
