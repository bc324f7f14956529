/** A subject that every reader of the reference needs. */
export interface Topic {
  readonly title: string;
  /** In Markdown, with links relative to `/docs`. */
  readonly text: string;
}

const summary = `
Search and browse a catalogue of categories, series, events and markets. Preview a market, read its stored observations, and
export them as files.
`.trim();

/** Each has a page at `/docs/about/<slug>`. */
export const topics: readonly Topic[] = [
  {
    title: 'Get started',
    text: `
List series, list the markets of a series, preview a market, and read its snapshots. Then create an export,
poll it until its status is \`ready\`, and download the file.
`.trim(),
  },
  {
    title: 'Authentication',
    text: `
Every endpoint needs an API key: \`Authorization: Bearer <API_KEY>\`. The secret of a key is shown only once,
when you create the key.
`.trim(),
  },
  {
    title: 'Rate limits',
    text: `
Your plan limits the number of requests per minute. All keys of an account share the limit. Each answer has the
headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. Above the limit, the server returns status 429
with the code \`rate_limited\`. \`Retry-After\` gives the number of seconds to wait.
`.trim(),
  },
  {
    title: 'Numbers',
    text: `
Times (fields that end with \`_ts\`) are Unix seconds with a fraction. Prices and sizes are exact decimals, as
recorded: \`0.51\` is 0.51. A price of the yes side is a fraction of 1.
`.trim(),
  },
  {
    title: 'Point in time',
    text: `
Reads with \`as_of\` answer as the archive was known at that time: no later row, close, result or correction is
in the answer. What was not known yet is null and listed in \`withheld\`. A market that was not listed yet returns 404. A key
created with \`as_of\` reads everything as of its time or earlier.
`.trim(),
  },
  {
    title: 'Lists',
    text: `
\`has_more\` says whether more items follow. To get them, send \`next_offset\`, \`next_cursor\` or \`next_start_ts\` with
the next request. \`count\` is the number of items in the answer. \`series_n\`, \`events_n\` and \`markets_n\` are totals.
`.trim(),
  },
  {
    title: 'Notices',
    text: `
The server ignores unknown query parameters and body fields, and a filter with an unknown value matches nothing. The
answer says so: in the header \`Almanac-Notice\`, and in \`notices\` of a JSON object. Each notice has a \`code\`, a \`detail\`, its
location \`loc\`, and \`nearest\`, the nearest name that the server knows. With the header \`Prefer: handling=strict\`, the
server returns status 422 instead. A request that spends money or quota never ignores an unknown body field: it returns status
422 and changes nothing.
`.trim(),
  },
  {
    title: 'Requests',
    text: `
An empty filter has no effect. If a query parameter is repeated, the last value counts. New fields can be added to any answer, so ignore fields that you do not know. The
server compresses long answers with \`zstd\` or \`gzip\` if \`Accept-Encoding\` allows it.
`.trim(),
  },
  {
    title: 'Errors',
    text: `
An error answer has the form \`{"detail", "code", "request_id"}\`. \`detail\` explains the error to people. \`code\` is for
programs and never changes: [all error codes](docs/errors). \`request_id\` is also in the header \`X-Request-Id\`. To choose it,
send your own \`X-Request-Id\`. The \`detail\` of status 422 is a list of all invalid fields. With \`Accept: application/problem+json\`, an error has the form of
RFC 9457, with a text as \`detail\` and these fields in \`errors\`. A resource of another account returns the same
error as a resource that does not exist. Unknown paths return 404, unsupported methods 405, and bodies above 256 KiB 413. Answers
with status 429 and 503 have \`Retry-After\`.
`.trim(),
  },
];

export const slugOf = ({ title }: Topic): string => title.toLowerCase().replaceAll(' ', '-');

/** The introduction for new readers, in Markdown. It is short, so that the first screen of `/docs` shows endpoints. */
export const description = `${summary}

Read about ${topics.map((topic) => `[${topic.title.toLowerCase()}](docs/about/${slugOf(topic)})`).join(', ')}.`;

/** The whole introduction in one text. */
export const longDescription = [summary, ...topics.map(({ title, text }) => `## ${title}\n\n${text}`)].join('\n\n');

/** How a page in a browser calls the API without storing a key. */
export const aboutSessions = `
For pages in a browser, which must not store a key. Send \`POST /auth/session\` with a valid API key, in the \`Authorization\` header
or in the form field \`api_key\`. The server sets this cookie and returns \`{"csrf_token", "expires_ts", "key_id", "plan", "as_of"}\`.
\`GET /auth/session\` returns the same again. A session gives access to the endpoints that its key can use, with the same limits.
Requests that change data must send the token in the header \`X-CSRF-Token\` and must come from a page of the same
origin. Pages of other sites cannot read with a session. \`DELETE /auth/session\` ends the session. A session also ends when its key
is revoked.
`.trim();
