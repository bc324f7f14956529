/** In two months, and so in two partitions. */
export const months = [1_767_225_600_000_000n, 1_769_904_000_000_000n] as const;

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);

/** A block of Native: a row in each month, the second one with a number if it has them. */
export const block = (ticker: string, seq: bigint | null = null): Buffer =>
  Buffer.concat([
    Buffer.from([seq === null ? 2 : 3, 2]),
    text('ticker'),
    text('String'),
    text(ticker),
    text(ticker),
    text('ts'),
    text("DateTime64(6, 'UTC')"),
    Buffer.from(BigInt64Array.from(months).buffer),
    ...(seq === null
      ? []
      : [text('seq'), text('Nullable(UInt64)'), Buffer.from([1, 0]), Buffer.from(BigUint64Array.of(0n, seq).buffer)]),
  ]);

export const tradeBlock = (): Buffer =>
  Buffer.concat([
    Buffer.from([5, 1]),
    text('ticker'),
    text('String'),
    text('TRADED'),
    text('trade_id'),
    text('String'),
    text('t-1'),
    text('venue_ts'),
    text("Nullable(DateTime64(6, 'UTC'))"),
    Buffer.of(0),
    Buffer.from(BigInt64Array.of(months[0]).buffer),
    text('price'),
    text('Decimal(9, 6)'),
    Buffer.from(Int32Array.of(250_000).buffer),
    text('taker_side'),
    text('Nullable(String)'),
    Buffer.of(0),
    text('no'),
  ]);

/** A book of two bids on yes. */
export const bookBlock = (): Buffer => {
  const lists = 'Array(Tuple(Decimal(9, 6), Decimal(18, 6)))';
  const end = (levels: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(levels)).buffer);
  return Buffer.concat([
    Buffer.from([5, 1]),
    ...['ticker', 'String', 'BOOK-A', 'ts', "DateTime64(6, 'UTC')"].map(text),
    Buffer.from(BigInt64Array.of(months[0]).buffer),
    ...['has_book', 'Bool'].map(text),
    Buffer.of(1),
    ...['orderbook_yes', lists].map(text),
    end(2),
    Buffer.from(Int32Array.of(480_000, 470_000).buffer),
    Buffer.from(BigInt64Array.of(12_500_000n, 9_000_000_000_000_000n).buffer),
    ...['orderbook_no', lists].map(text),
    end(0),
  ]);
};
