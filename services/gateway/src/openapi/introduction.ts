/** What a reader should know before the first request, in Markdown. */
export const description = `
Search and browse a catalogue (category, series, event, market), preview a market, read its stored observations, and
export them as files.

**A first look**: list series, list the markets of one, preview a market, read its snapshots; then ask for an export, poll
it until it is \`ready\`, and download it.

**Keys.** Every endpoint takes an API key: \`Authorization: Bearer <API_KEY>\`. A key's secret is told once, when it is
created.

**Limits.** A plan allows so many requests in any minute, counted by account. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and
\`RateLimit-Reset\` tell on every answer how many, how many are left at least, and in how many seconds there are more. Above the
limit the answer is 429 \`rate_limited\`, and \`Retry-After\` says when to go on.

**Numbers.** Times (\`…_ts\`) are Unix seconds with a fraction. Prices and sizes come back as they were recorded: \`0.51\`
is 0.51. A price of yes is a fraction of 1.

**Lists** are never cut in silence: \`has_more\` says whether there is more, and \`next_offset\`, \`next_cursor\` or
\`next_start_ts\` how to go on. \`count\` is the items of the answer; \`series_n\`, \`events_n\` and \`markets_n\` are totals.

**Requests.** Unknown query parameters and body fields are ignored, an empty filter is none, and of a repeated parameter
the last counts. Fields may be added to any answer; a client should ignore those that it does not know. Long answers are
packed with \`zstd\` or \`gzip\` for those whose \`Accept-Encoding\` takes it.

**Errors** are \`{"detail", "code", "request_id"}\`: a sentence for a person, a word for a program that never changes, and the
id of the request, which is also in \`X-Request-Id\` (send your own, and it is kept). A 422 is a list of every fault in what
was sent. What another account owns is answered as what never existed. A path that is none is 404, a method that a path does
not take 405, a body above 1 MiB 413; 429 and 503 say in \`Retry-After\` when to ask again.
`.trim();

/** How a browser manages keys without keeping one. */
export const aboutSessions = `
For a page in a browser: \`POST /auth/session\` with a valid key (\`Authorization\`, or the field \`api_key\` of a form) sets this cookie and
answers \`{"csrf_token", "expires_ts"}\`. It opens the \`/keys\` endpoints alone. A write needs the token as \`X-CSRF-Token\` and must
come from a page of the same origin. \`DELETE /auth/session\` takes the cookie away; the session also ends with its key.
`.trim();
