import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  bookResponse,
  candlesResponse,
  eventDetailResponse,
  marketDetailResponse,
  marketsResponse,
  searchResponse,
  tradesResponse,
} from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/operator';
import { z } from 'zod';
import { apiClient, type ApiClient, post } from '../api.js';
import { createExport } from '../exports.js';
import type { SystemHarness } from '../harness.js';

const event = z.looseObject({ open_ts: z.number(), close_ts: z.number() });
const createdKey = z.object({ secret: z.string(), as_of: z.int() });

/** What a strategy saw and did at one time. */
interface Decision {
  readonly ts: number;
  readonly ticker: string;
  readonly mid: number | null;
  readonly volume: number;
  readonly price: number | null;
}

/** A backtest of one event of the generated archive, as a researcher would write it. */
export const backtestSuite = (system: () => SystemHarness): void => {
  describe('a backtest', () => {
    let api: ApiClient;
    let eventId: string;
    let times: readonly number[];
    let closeS: number;

    before(async () => {
      await storeGeneratedArchive(system().system, Math.floor(Date.now() / 1_000));
      api = await system().client('full_book');
      const list = await api.json(marketsResponse, '/markets?series=GENBTCH&status=finalized&limit=1');
      eventId = list.markets[0]?.event_ticker ?? '';
      const detail = await api.json(eventDetailResponse, `/events/${eventId}`);
      const { open_ts, close_ts } = event.parse(detail.event);
      closeS = close_ts;
      times = [600, 1_500, 2_400, 3_300].map((offset) => open_ts + offset);
    });

    /** Buys the market of the event whose last mid is nearest to 0.5, at the best ask of its book then. */
    const decide = async (client: ApiClient, ts: number): Promise<Decision> => {
      const { markets } = await client.json(eventDetailResponse, `/events/${eventId}?as_of=${ts}`);
      const seen = await Promise.all(
        markets.map(async ({ ticker }) => {
          const path = `/markets/${ticker}`;
          const { candles } = await client.json(candlesResponse, `${path}/candles?period_s=300&as_of=${ts}`);
          const { trades } = await client.json(tradesResponse, `${path}/trades?limit=5000&as_of=${ts}`);
          assert.ok(candles.every((candle) => candle.start_ts <= ts));
          assert.ok(trades.every((trade) => trade.ts <= ts));
          const volume = trades.reduce((sum, { size }) => sum + size, 0);
          return { ticker, mid: candles.at(-1)?.mid.close ?? null, volume };
        }),
      );
      const distance = ({ mid }: { mid: number | null }): number => Math.abs((mid ?? 2) - 0.5);
      const [chosen] = seen.toSorted((a, b) => distance(a) - distance(b) || (a.ticker < b.ticker ? -1 : 1));
      assert.ok(chosen !== undefined);
      const book = await client.json(bookResponse, `/markets/${chosen.ticker}/book?as_of=${ts}`);
      assert.ok(book.ts === null || book.ts <= ts);
      const [best] = book.orderbook_no ?? [];
      return { ts, ...chosen, price: best === undefined ? null : 1 - best[0] };
    };

    it('sees at each time only what was known then, and the result after it', async () => {
      const decisions: Decision[] = [];
      for (const ts of times) decisions.push(await decide(api, ts));
      assert.ok(decisions.every(({ mid, volume }) => mid !== null && volume > 0));
      assert.ok(decisions.some(({ volume }, at) => volume > (decisions[at - 1]?.volume ?? 0)));
      for (const { ts, ticker } of decisions) {
        const then = await api.json(marketDetailResponse, `/markets/${ticker}?as_of=${ts}`);
        assert.deepEqual([then.market.status, then.market.result, then.market.settlement_ts], ['live', null, null]);
        assert.ok(then.market.withheld?.includes('result'));
        const later = await api.json(marketDetailResponse, `/markets/${ticker}?as_of=${closeS + 13}`);
        assert.ok(later.market.result === 'yes' || later.market.result === 'no');
      }
    });

    it('is the same under a key with as_of, which gives its twin with a look-ahead 403', async () => {
      const ts = times[1] ?? 0;
      const made = await api.json(createdKey, '/keys', post({ as_of: ts }));
      assert.equal(made.as_of, ts);
      const fenced = apiClient(system().system.baseUrls[0], made.secret);
      assert.deepEqual(await decide(fenced, ts), await decide(api, ts));
      const { ticker } = await decide(fenced, ts);
      // Without as_of, it is that of the key.
      const own = await fenced.json(marketDetailResponse, `/markets/${ticker}`);
      assert.deepEqual([own.as_of, own.market.result], [ts, null]);
      const listed = await fenced.json(marketsResponse, '/markets?series=GENBTCH&limit=200');
      assert.equal(listed.as_of, ts);
      assert.ok(listed.markets.some((market) => market.ticker === ticker && market.status === 'live'));
      assert.ok(listed.markets.every(({ open_ts }) => open_ts !== null && open_ts <= ts));
      const looks = [
        `/markets/${ticker}?as_of=${closeS + 13}`,
        `/markets/${ticker}/candles?as_of=${ts + 1}`,
        `/markets?series=GENBTCH&as_of=${closeS + 13}`,
        `/series?as_of=${ts + 1}`,
        `/search?q=${ticker}&as_of=${closeS}`,
        `/exports?as_of=${ts + 1}`,
      ];
      for (const path of looks) {
        const { status, code } = await fenced.refusal(path);
        assert.deepEqual([status, code], [403, 'as_of_fenced'], path);
      }
      const { hits } = await fenced.json(searchResponse, `/search?q=${ticker}`);
      assert.deepEqual([hits[0]?.id, hits[0]?.status], [ticker, 'live']);
      assert.equal((await fenced.send('/exports', post({ ticker, as_of: ts + 1 }))).status, 403);
      assert.equal((await createExport(fenced, { ticker })).as_of, ts);
    });
  });
};
