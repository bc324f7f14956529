const everyMs = 50;

/**
 * The result of a look-up, or what is known again before it ends. While NATS elects a leader, evidence about cached keys can be
 * too old for a moment, and a look-up waits for the same leader.
 */
export const orKnownAgain = async <T>(lookUp: Promise<T>, known: () => T | undefined): Promise<T> => {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setInterval(() => {
    const value = known();
    if (value !== undefined) resolve(value);
  }, everyMs);
  // Nobody may wait for it any more.
  lookUp.catch(() => undefined);
  try {
    return await Promise.race([lookUp, promise]);
  } finally {
    clearInterval(timer);
  }
};
