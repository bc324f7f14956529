const timeoutMs = 2_000;
/** A call that takes longer than this may be long, or the server may be frozen. It then has as long to say that it is not. */
const slowMs = 1_100;

/** The banner of the layout listens to it. */
export const offlineEvent = 'almanac-offline';

/** Whether the gateway of this page is ready. */
export const serverAnswers = async (): Promise<boolean> => {
  try {
    return (await fetch('/readyz', { signal: AbortSignal.timeout(timeoutMs) })).ok;
  } catch {
    return false;
  }
};

/** A server that says that it is not ready is not silent: the call has its own answer. */
const reportSilence = async (): Promise<void> => {
  try {
    await fetch('/readyz', { signal: AbortSignal.timeout(slowMs) });
  } catch {
    window.dispatchEvent(new Event(offlineEvent));
  }
};

/** Reports a server that does not answer anything within 3 seconds, while the work waits for its answer as long as it takes. */
export const whileAnswered = async <Answer>(work: Promise<Answer>): Promise<Answer> => {
  const timer = setTimeout(() => void reportSilence(), slowMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
};
