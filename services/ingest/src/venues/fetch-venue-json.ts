const timeoutMs = 10_000;
const answerCharsMax = 64 * 1024 * 1024;

/** The JSON answer of a venue to a GET. Rejects if it is not JSON or takes longer than 10 s. */
export const fetchVenueJson = async (url: string, query: URLSearchParams): Promise<unknown> => {
  const answer = await fetch(`${url}?${query.toString()}`, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${text.slice(0, 200)}`);
  if (text.length > answerCharsMax) throw new Error(`${new URL(url).pathname} answered ${text.length} characters`);
  return JSON.parse(text);
};
