import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

/** Price and size as the API shows them, best first. */
export type Side = readonly (readonly [number, number])[];

/** The book of a market at a time, by a plain replay. Null before its first snapshot. */
export interface BookAt {
  readonly us: number;
  readonly seq: number;
  readonly yes: Side;
  readonly no: Side;
}

const levels = z.array(z.tuple([z.string(), z.string()])).default([]);
const message = z.object({
  market_ticker: z.string(),
  sequence_number: z.int(),
  payload_json: z.object({
    yes_dollars_fp: levels,
    no_dollars_fp: levels,
    side: z.enum(['yes', 'no']).optional(),
    price_dollars: z.string().optional(),
    delta_fp: z.string().optional(),
  }),
});

const linesOf = (session: string, type: string): string[] => {
  const folder = join(session, 'raw_events', `type=${type}`);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.gz'))
    .toSorted()
    .flatMap((name) =>
      gunzipSync(readFileSync(join(folder, name)))
        .toString('utf8')
        .trimEnd()
        .split('\n'),
    );
};

/** A size in hundredths of a contract: the recording has two decimals. */
const hundredths = (size: string): bigint => BigInt(size.replace('.', ''));

/**
 * Replays the recorder's frames of one market by their numbers, and returns the book at each of the ascending times. It
 * shares no code with the importer.
 */
export const replayBooks = (session: string, ticker: string, times: readonly number[]): (BookAt | null)[] => {
  const found = ['orderbook_snapshot', 'orderbook_delta']
    .flatMap((type) => linesOf(session, type))
    .map((line) => {
      const us = Number((/"local_recv_ns":(\d+)/.exec(line)?.[1] ?? '').slice(0, -3));
      return { us, ...message.parse(JSON.parse(line)) };
    })
    .filter(({ market_ticker }) => market_ticker === ticker)
    .toSorted((a, b) => a.sequence_number - b.sequence_number);
  const sides = { yes: new Map<string, bigint>(), no: new Map<string, bigint>() };
  const shown = (side: 'yes' | 'no'): Side =>
    Array.from(sides[side])
      .filter(([, size]) => size > 0n)
      .map(([price, size]) => [Number(price), Number(size) / 100] as const)
      .toSorted(([a], [b]) => b - a);
  let at = 0;
  return times.map((until) => {
    for (let next = found[at]; next !== undefined && next.us <= until; at += 1, next = found[at]) {
      const { yes_dollars_fp: yes, no_dollars_fp: no, side, price_dollars: price, delta_fp: by } = next.payload_json;
      if (side === undefined || price === undefined || by === undefined) {
        sides.yes = new Map(yes.map(([level, size]) => [level, hundredths(size)]));
        sides.no = new Map(no.map(([level, size]) => [level, hundredths(size)]));
      } else sides[side].set(price, (sides[side].get(price) ?? 0n) + hundredths(by));
    }
    const last = found[at - 1];
    return last ? { us: last.us, seq: last.sequence_number, yes: shown('yes'), no: shown('no') } : null;
  });
};
