interface Header {
  readonly description: string;
  readonly type: 'string' | 'integer';
  readonly example: string | number;
}

const headers: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'Id of the request. If you send a valid `X-Request-Id`, the server uses it',
    type: 'string',
    example: '0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11',
  },
  'RateLimit-Limit': {
    description:
      'Maximum number of requests per minute in your plan. Absent if the plan has no limit, as are the other `RateLimit` headers',
    type: 'integer',
    example: 1200,
  },
  'RateLimit-Remaining': {
    description: 'Number of requests that you can send now. The real number can be higher',
    type: 'integer',
    example: 1180,
  },
  'RateLimit-Reset': {
    description: 'Seconds until more requests are available',
    type: 'integer',
    example: 41,
  },
  'RateLimit-Policy': {
    description: 'The limit in the form of the newest draft: `q` requests in `w` seconds',
    type: 'string',
    example: '"minute";q=1200;w=60',
  },
  RateLimit: {
    description: 'The state of the limit in the form of the newest draft: `r` requests now, and `t` seconds until more',
    type: 'string',
    example: '"minute";r=1180;t=41',
  },
  ETag: {
    description:
      'Version of the answer. Send it in `If-None-Match` with the next request. Absent if the answer depends on the current time',
    type: 'string',
    example: '"3-5f1d7c40b1d9ac37e0b2"',
  },
  'Cache-Control': {
    description: 'Whether clients can cache the answer',
    type: 'string',
    example: 'private, must-revalidate',
  },
  Vary: {
    description: 'Request headers that the answer depends on',
    type: 'string',
    example: 'Accept, Accept-Encoding',
  },
  'Content-Encoding': {
    description:
      'Compression of the answer: `zstd` or `gzip`, as requested in `Accept-Encoding`. Absent if the answer is not compressed',
    type: 'string',
    example: 'zstd',
  },
  Link: {
    description: 'URL of the next page. Absent on the last page',
    type: 'string',
    example: '</api/v1/markets/KXBTC15M-26FEB242330-30/snapshots?start_ts=1771993801&end_ts=1771994000>; rel="next"',
  },
  'Almanac-Has-More': {
    description: 'Value of `has_more` in the JSON format. Sent only with other formats',
    type: 'string',
    example: 'true',
  },
  'Almanac-Next-Start-Ts': {
    description: 'Value of `next_start_ts` in the JSON format. Sent only with other formats, and absent if it is null',
    type: 'string',
    example: '1771993801',
  },
  'Almanac-Next-Cursor': {
    description: 'Value of `next_cursor` in the JSON format. Sent only with other formats, and absent if it is null',
    type: 'string',
    example: 'eyJ0IjoiS1hCVEMxNU0ifQ',
  },
  'Almanac-Matched': {
    description: 'Value of `matched` in the JSON format. Sent only with pages in other formats',
    type: 'integer',
    example: 450,
  },
  'Almanac-Count': {
    description: 'Value of `count` in the JSON format. Sent only with other formats. A trailer of a long bulk answer',
    type: 'integer',
    example: 450,
  },
  'Almanac-Complete': {
    description:
      '`true` after all rows of a bulk answer. A trailer after the last row; a short answer has it as a header. An answer without it was cut, or is a page',
    type: 'string',
    example: 'true',
  },
  'Almanac-Sha256': {
    description:
      'SHA-256 of the bulk answer before compression, in hexadecimal. A trailer, or a header of a short answer',
    type: 'string',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  Trailer: {
    description: 'Names of the trailers after the rows of a long bulk answer',
    type: 'string',
    example: 'Almanac-Complete, Almanac-Count, Almanac-Sha256',
  },
  'Almanac-Notice': {
    description:
      'What the answer does not show by itself, as a list of structured fields (RFC 9651). Each item is a code with the parameters `loc`, `nearest` and `detail`. Characters outside ASCII are percent-encoded, and so is the percent sign. JSON answers have the same list in `notices`. Absent if there is no notice',
    type: 'string',
    example:
      'unknown_parameter;loc="query.limits";nearest="limit";detail="The query parameter limits does not exist and was ignored. Did you mean limit?"',
  },
  'Preference-Applied': {
    description: '`handling=strict` if the request has the header `Prefer: handling=strict`',
    type: 'string',
    example: 'handling=strict',
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt', type: 'integer', example: 1 },
  'WWW-Authenticate': { description: 'Authentication scheme', type: 'string', example: 'Bearer' },
  'Accept-Ranges': { description: 'Unit for range requests', type: 'string', example: 'bytes' },
  'Content-Range': {
    description: 'Range of the returned bytes and size of the file',
    type: 'string',
    example: 'bytes 0-99/90103',
  },
  'Content-Length': { description: 'Size in bytes', type: 'integer', example: 90103 },
  'Content-Disposition': {
    description: 'File name',
    type: 'string',
    example: 'attachment; filename="KXBTC15M-26FEB242330_snapshots-settlement.csv"',
  },
};

/** Every header that an answer may have and a client may need. */
export const responseHeaderNames: readonly string[] = Object.keys(headers);

/** Headers of answers that may contain only rows: the other fields of the JSON form. */
export const rowsAloneHeaders = [
  'Vary',
  'Content-Encoding',
  'Link',
  'Almanac-Has-More',
  'Almanac-Next-Start-Ts',
  'Almanac-Next-Cursor',
  'Almanac-Matched',
  'Almanac-Count',
  'Almanac-Complete',
  'Almanac-Sha256',
  'Trailer',
];

export const headerComponents = (): object =>
  Object.fromEntries(
    Object.entries(headers).map(([name, { description, type, example }]) => [
      componentName(name),
      { description, schema: { type }, example },
    ]),
  );

export const headerRefs = (names: readonly string[]): object =>
  Object.fromEntries(
    [...new Set(names)].map((name) => {
      if (headers[name] === undefined) throw new TypeError(`no description of the header ${name}`);
      return [name, { $ref: `#/components/headers/${componentName(name)}` }];
    }),
  );

/** The name of a component. A dash is allowed but is no identifier in generated code. */
const componentName = (name: string): string => name.replaceAll('-', '');
