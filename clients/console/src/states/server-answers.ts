const timeoutMs = 2_000;

/** Whether the gateway of this page is ready. */
export const serverAnswers = async (): Promise<boolean> => {
  try {
    return (await fetch('/readyz', { signal: AbortSignal.timeout(timeoutMs) })).ok;
  } catch {
    return false;
  }
};
