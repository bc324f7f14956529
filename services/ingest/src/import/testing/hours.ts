import type { SchemaElement } from 'hyparquet';
import { fileWriter, ParquetWriter, parquetWriteBuffer } from 'hyparquet-writer';

/** A row of an hour of books in version 2 of the layout. Times are milliseconds. */
export interface HourRow {
  readonly received: number;
  readonly market: string;
  readonly token: string;
  readonly kind: 'book' | 'price_change' | 'last_trade_price' | 'tick_size_change';
  readonly bids?: string;
  readonly asks?: string;
  readonly price?: string;
  readonly size?: string;
  readonly side?: 'BUY' | 'SELL';
  readonly bestBid?: string;
  readonly bestAsk?: string;
  readonly hash?: string;
  readonly newTick?: string;
}

/** A row that may have what no venue sends. */
export type DirtyHourRow = Omit<HourRow, 'received' | 'kind' | 'side'> & {
  readonly received: number | null;
  readonly sent?: number | null;
  readonly kind: string | null;
  readonly side?: string;
};

const timestamp = {
  type: 'INT64',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const;
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const price = { type: 'INT32', converted_type: 'DECIMAL', precision: 9, scale: 4 } as const;

const unscaled = (value: string | undefined, decimals = 4): bigint | null =>
  value === undefined ? null : BigInt(Math.round(Number(value) * 10 ** decimals));

const millis = (value: number | null, earlier = 0): bigint | null => (value === null ? null : BigInt(value - earlier));

const venueDelayMs = 7;
const columns: readonly (readonly [
  name: string,
  type: Omit<SchemaElement, 'name'>,
  read: (row: DirtyHourRow) => unknown,
])[] = [
  ['timestamp_received', timestamp, ({ received }) => millis(received)],
  ['timestamp', timestamp, ({ received, sent }) => millis(sent === undefined ? received : sent, venueDelayMs)],
  ['market', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 66 }, ({ market }) => Buffer.from(market)],
  ['event_type', text, ({ kind }) => kind],
  ['asset_id', text, ({ token }) => token],
  ['bids', text, ({ bids }) => bids ?? null],
  ['asks', text, ({ asks }) => asks ?? null],
  ['price', price, (row) => unscaled(row.price)],
  ['size', { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 6 }, (row) => unscaled(row.size, 6)],
  ['side', text, ({ side }) => side ?? null],
  ['best_bid', price, ({ bestBid }) => unscaled(bestBid)],
  ['best_ask', price, ({ bestAsk }) => unscaled(bestAsk)],
  ['fee_rate_bps', { type: 'INT32', converted_type: 'UINT_16' }, () => null],
  ['transaction_hash', text, ({ hash }) => hash ?? null],
  ['old_tick_size', price, () => null],
  ['new_tick_size', price, ({ newTick }) => unscaled(newTick)],
];

const schema: SchemaElement[] = [
  { name: 'root', num_children: columns.length },
  ...columns.map(([name, type]): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...type })),
];
const columnData = (rows: readonly DirtyHourRow[]) =>
  columns.map(([name, , read]) => ({ name, data: rows.map((row) => read(row)) }));

export const hourFile = (rows: readonly DirtyHourRow[], { rowGroupSize = 300, pageSize = 4_000 } = {}): Buffer =>
  Buffer.from(parquetWriteBuffer({ schema, columnData: columnData(rows), rowGroupSize, pageSize }));

/** The same rows in the first version of the layout, with the message as JSON. */
export const oldHourFile = (rows: readonly HourRow[]): Buffer => {
  const data = rows.map(({ received, market, token, kind, bids, asks, ...row }) =>
    JSON.stringify({
      update_type: kind === 'book' ? 'book_snapshot' : kind,
      market_id: market,
      token_id: token,
      timestamp: (received - venueDelayMs) / 1_000,
      best_bid: row.bestBid,
      best_ask: row.bestAsk,
      ...(kind === 'book'
        ? { bids: JSON.parse(bids ?? '[]') as unknown, asks: JSON.parse(asks ?? '[]') as unknown }
        : { change_price: row.price, change_size: row.size, change_side: row.side }),
    }),
  );
  const kinds = rows.map(({ kind }) => (kind === 'book' ? 'book_snapshot' : kind));
  const times = (delay: number) => rows.map(({ received }) => BigInt(received - delay));
  const all: readonly (readonly [string, Omit<SchemaElement, 'name'>, unknown[]])[] = [
    ['timestamp_received', timestamp, times(0)],
    ['timestamp_created_at', timestamp, times(venueDelayMs)],
    ['market_id', text, rows.map(({ market }) => market)],
    ['update_type', text, kinds],
    ['data', text, data],
  ];
  const buffer = parquetWriteBuffer({
    schema: [
      { name: 'root', num_children: all.length },
      ...all.map(([name, type]): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...type })),
    ],
    columnData: all.map(([name, , values]) => ({ name, data: values })),
  });
  return Buffer.from(buffer);
};

/** Writes rows in row groups as the archive has them. Returns their number. */
export const writeHour = async (path: string, rows: Iterable<HourRow>): Promise<number> => {
  const writer = new ParquetWriter({ writer: fileWriter(path), schema });
  const rowGroupSize = 1_048_576;
  let [group, written]: [HourRow[], number] = [[], 0];
  const flush = async (): Promise<void> => {
    if (group.length > 0) await writer.write({ columnData: columnData(group), rowGroupSize });
    written += group.length;
    group = [];
  };
  for (const row of rows) {
    group.push(row);
    if (group.length >= rowGroupSize) await flush();
  }
  await flush();
  await writer.finish();
  return written;
};

export interface GeneratedHour {
  /** The beginning in milliseconds. */
  readonly startMs: number;
  readonly markets: number;
  /** Each token has a row in this interval. */
  readonly everyMs: number;
  /** Times without any row: milliseconds of the hour. */
  readonly lost?: readonly (readonly [fromMs: number, toMs: number])[];
  /** Whether the hour begins with whole books. Default true. */
  readonly hasBooks?: boolean;
}

export const marketOf = (market: number) => {
  const [condition, token] = [String(market).padStart(64, '0'), String(10_000_000 + market * 2)];
  return { condition: `0x${condition}`, yes: `${token}0`, no: `${token}1`, ticker: `hourly-${market}` };
};

/** Market objects of the venue for the markets of an hour. */
export const hourCatalogue = (markets: number): string =>
  Array.from({ length: markets }, (_, index) => {
    const { condition, yes, no, ticker } = marketOf(index);
    const ids = { slug: ticker, conditionId: condition, clobTokenIds: JSON.stringify([yes, no]) };
    return JSON.stringify({
      ...ids,
      question: `Market ${index}?`,
      outcomes: '["Yes","No"]',
      active: true,
      closed: false,
    });
  }).join('\n');

const hourMs = 3_600_000;

/** The rows in the order of the file. Every token has a whole book at first and after each loss, and then changes. */
export function* hourRows({ startMs, markets, everyMs, lost = [], hasBooks = true }: GeneratedHour) {
  for (let index = 0; index < markets; index += 1) {
    const { condition: market, yes, no } = marketOf(index);
    for (const token of [yes, no]) {
      const isYes = token === yes;
      const place = { market, token, bestBid: isYes ? '0.5' : '0.48', bestAsk: isYes ? '0.52' : '0.5' };
      let needsBook = hasBooks;
      for (let at = (index % everyMs) + (isYes ? 0 : 1); at < hourMs; at += everyMs) {
        if (lost.some(([from, to]) => at >= from && at < to)) {
          needsBook = true;
          continue;
        }
        const received = startMs + at;
        if (needsBook) yield bookRow({ ...place, received });
        else yield changeRow({ ...place, received, step: Math.floor(at / everyMs), isYes });
        needsBook = false;
      }
    }
  }
}

type RowPlace = Pick<HourRow, 'received' | 'market' | 'token'> & { readonly bestBid: string; readonly bestAsk: string };

export const bookRow = ({ bestBid, bestAsk, ...place }: RowPlace): HourRow => ({
  ...place,
  kind: 'book',
  bids: `[["${bestBid}","100"]]`,
  asks: `[["${bestAsk}","100.5"]]`,
});

const changeRow = ({ step, isYes, ...place }: RowPlace & { step: number; isYes: boolean }): HourRow => {
  const below = (30 + (step % 20)) / 100;
  return {
    ...place,
    kind: 'price_change',
    price: (isYes ? below : 1 - below).toFixed(2),
    size: String(1 + (step % 90)),
    side: isYes ? 'BUY' : 'SELL',
  };
};
