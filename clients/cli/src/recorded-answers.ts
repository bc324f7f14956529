/** A `fetch` that remembers the JSON answers, because `--json` prints them unchanged. */
export interface RecordedAnswers {
  /** Undefined if nothing is remembered: the client has a faster one for large files. */
  readonly fetch: typeof fetch | undefined;
  /** The answers so far whose path ends with this, without those of failed attempts. */
  readonly answers: (path: RegExp) => readonly string[];
}

export const recordAnswers = (isWanted: boolean): RecordedAnswers => {
  const recorded: { readonly path: string; readonly text: string }[] = [];
  const recording: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const path = new URL(response.url).pathname;
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    // A file can be JSON too, and is far too large for the memory.
    if (!response.ok || !isJson || path.endsWith('/file')) return response;
    const text = await response.text();
    recorded.push({ path, text });
    const { status, statusText, headers } = response;
    // What `new Response` has no option for.
    return Object.defineProperty(new Response(text, { status, statusText, headers }), 'url', { value: response.url });
  };
  return {
    fetch: isWanted ? recording : undefined,
    answers: (path) => recorded.filter((each) => path.test(each.path)).map(({ text }) => text.trimEnd()),
  };
};
