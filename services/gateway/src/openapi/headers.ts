interface Header {
  readonly description: string;
  readonly type: 'string' | 'integer';
  readonly example: string | number;
}

/** The headers of answers. */
const headers: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: "The request's id: the caller's own `X-Request-Id` when it sent a sane one",
    type: 'string',
    example: '0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11',
  },
  'RateLimit-Limit': {
    description: 'Requests that the plan allows in any minute. This and the next two are absent without a limit',
    type: 'integer',
    example: 1200,
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left now, at least',
    type: 'integer',
    example: 1180,
  },
  'RateLimit-Reset': {
    description: 'Seconds until some that were used count no more',
    type: 'integer',
    example: 41,
  },
  ETag: {
    description: 'Changes with the answer; send it back in `If-None-Match`. Absent while the answer is of the moment',
    type: 'string',
    example: '"3-5f1d7c40b1d9ac37e0b2"',
  },
  'Cache-Control': {
    description: 'Whether the answer may be kept, and must be asked about',
    type: 'string',
    example: 'private, must-revalidate',
  },
  Vary: { description: 'What else the answer depends on', type: 'string', example: 'Accept, Accept-Encoding' },
  'Content-Encoding': {
    description: 'How it is packed, as `Accept-Encoding` asked: `zstd` or `gzip`; absent where it is not',
    type: 'string',
    example: 'zstd',
  },
  Link: {
    description: 'Where it goes on; absent at the end',
    type: 'string',
    example: '</api/v1/markets/KXBTC15M-26FEB242330-30/snapshots?start_ts=1771993801&end_ts=1771994000>; rel="next"',
  },
  'Almanac-Has-More': { description: 'Not in JSON: its `has_more`', type: 'string', example: 'true' },
  'Almanac-Next-Start-Ts': {
    description: 'Not in JSON: its `next_start_ts`; absent where that is null',
    type: 'string',
    example: '1771993801',
  },
  'Almanac-Matched': { description: 'Not in JSON: its `matched`', type: 'integer', example: 450 },
  'Almanac-Count': { description: 'Not in JSON: its `count`', type: 'integer', example: 450 },
  'Almanac-Notice': {
    description: 'Not in JSON: its `notice`, percent-encoded; absent where that is null',
    type: 'string',
    example: 'Order books are not included.',
  },
  'Retry-After': { description: 'Seconds until it is worth asking again', type: 'integer', example: 1 },
  'WWW-Authenticate': { description: 'What the key is sent as', type: 'string', example: 'Bearer' },
  'Accept-Ranges': { description: 'A part of the file may be asked for', type: 'string', example: 'bytes' },
  'Content-Range': {
    description: 'Which bytes these are, and of how many',
    type: 'string',
    example: 'bytes 0-99/90103',
  },
  'Content-Length': { description: 'Size in bytes', type: 'integer', example: 90103 },
  'Content-Disposition': {
    description: 'The name of the file',
    type: 'string',
    example: 'attachment; filename="KXBTC15M-26FEB242330_snapshots-settlement.csv"',
  },
};

/** Of answers that may come as rows alone: what the JSON form says beside its rows. */
export const rowsAloneHeaders = [
  'Vary',
  'Content-Encoding',
  'Link',
  'Almanac-Has-More',
  'Almanac-Next-Start-Ts',
  'Almanac-Matched',
  'Almanac-Count',
  'Almanac-Notice',
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

/** A component's name, in which a dash is allowed but is no name in a program. */
const componentName = (name: string): string => name.replaceAll('-', '');
