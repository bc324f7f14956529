import { readTrade, tradeReasons } from '../../model/trade.js';
import type { TradeFormat, TradeSources } from '../trade-format.js';
import { fetchedUs, textOf } from '../../sources/record-fields.js';
import type { BlockTable, CatalogueFormat } from '../catalogue-format.js';
import type { JsonObject } from '../../sources/source.js';
import { decimalText } from '../../sources/tables/table.js';
import { readTime } from '../../values/time.js';
import { factsOfGamma } from './polymarket-markets.js';

/** The events `OrderFilled` of Polymarket's exchanges. A fill is identified by its transaction and the place in its log. */
export const polymarketFills: TradeFormat = {
  name: 'polymarket-fills',
  is: (record) =>
    ['block_number', 'transaction_hash', 'log_index', 'maker_asset_id', 'taker_asset_id', 'maker_amount'].every(
      (key) => key in record,
    ),
  idsIn: (record) =>
    ['maker_asset_id', 'taker_asset_id'].flatMap((key) => textOf(record[key]) ?? []).filter((id) => id !== usdc),
  read: (record, sources) => (isSummary(record) ? { leftOut: takerSummary } : fillOf(record, sources)),
};

const takerSummary = "summaries of a taker's whole order, whose fills are counted";

const exchanges: ReadonlySet<string> = new Set([
  '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
  '0xc5d563a36ae78145c45a50134d48a1215220f80a',
]);

/** An exchange emits one more event for the order of the taker, with itself as the taker. */
const isSummary = (record: JsonObject): boolean => {
  const taker = textOf(record['taker'])?.toLowerCase() ?? '';
  return exchanges.has(taker) || (taker !== '' && taker === textOf(record['_contract'])?.toLowerCase());
};

const fillOf = (
  record: JsonObject,
  { marketOfOutcome, blockTimeUs }: TradeSources,
): ReturnType<TradeFormat['read']> => {
  const [given, taken] = [textOf(record['maker_asset_id']), textOf(record['taker_asset_id'])];
  const isMakerBuying = given === usdc;
  const token = isMakerBuying ? taken : given;
  if (token === null || token === usdc || (!isMakerBuying && taken !== usdc)) return 'neither asset is USDC';
  const ids = marketOfOutcome(token);
  if (!ids) return 'the token belongs to no known market';
  const [makerAmount, takerAmount] = [amountOf(record['maker_amount']), amountOf(record['taker_amount'])];
  const [paid, size] = isMakerBuying ? [makerAmount, takerAmount] : [takerAmount, makerAmount];
  if (size === null || size === 0n) return tradeReasons.size;
  if (paid === null) return tradeReasons.price;
  const venueUs = blockTimeUs(Number(textOf(record['block_number']) ?? NaN));
  if (venueUs === null) return 'the block has no time';
  const [outcome, other] = ids.yes === token ? (['yes', 'no'] as const) : (['no', 'yes'] as const);
  const [hash, index] = [textOf(record['transaction_hash']), textOf(record['log_index'])];
  const { price, isRounded } = priceOf(paid, size);
  const read = readTrade({
    ticker: ids.ticker,
    id: hash === null || index === null ? null : `${hash}-${index}`,
    venueUs,
    receivedUs: null,
    price,
    priceOf: outcome,
    size: decimalText(size, decimals),
    takerSide: isMakerBuying ? other : outcome,
  });
  if (typeof read === 'string') return read;
  const from = `${decimalText(paid, decimals)} / ${decimalText(size, decimals)}`;
  const rounded = { name: 'price', how: 'rounded to 6 decimals', from, to: price } as const;
  const fact = { kind: 'market', ticker: ids.ticker } as const;
  return { ...read, altered: isRounded ? [...read.altered, rounded] : read.altered, fact };
};

/** The id of the asset that is no token. */
const usdc = '0';
const decimals = 6;
const unit = 1_000_000n;

/** An integer in millionths, or a decimal if the file has decimals. */
const amountOf = (value: unknown): bigint | null => {
  const [, whole, fraction] = /^(\d+)(?:\.(\d{1,6})0*)?$/.exec(textOf(value) ?? '') ?? [];
  if (whole === undefined) return null;
  return fraction === undefined ? BigInt(whole) : BigInt(whole) * unit + BigInt(fraction.padEnd(decimals, '0'));
};

const priceOf = (paid: bigint, size: bigint): { readonly price: string; readonly isRounded: boolean } => {
  const price = (paid * unit * 2n + size) / (size * 2n);
  return { price: decimalText(price, decimals), isRounded: (paid * unit) % size !== 0n };
};

/** The times of the blocks of fills. */
export const polymarketBlocks: BlockTable = {
  name: 'blocks',
  is: (columns) => columns.length <= 4 && ['block_number', 'timestamp'].every((name) => columns.includes(name)),
  read: (record) => {
    const [block, time] = [Number(textOf(record['block_number']) ?? NaN), textOf(record['timestamp']) ?? ''];
    const us = readTime(time, 'iso', 'UTC') ?? readTime(time, 's') ?? readTime(time, 'ms');
    return Number.isSafeInteger(block) && us !== null ? { block, us } : null;
  },
};

/** Rows of a collector's table of gamma's markets, with the names of its columns. */
export const polymarketMarketRows: CatalogueFormat = {
  name: 'polymarket-market-rows',
  entityKind: 'markets',
  is: (record) => ['slug', 'condition_id', 'outcomes'].every((key) => typeof record[key] === 'string'),
  read: (record, _known, receivedUs) => {
    const {
      condition_id: conditionId,
      outcome_prices: outcomePrices,
      end_date: endDate,
      created_at: createdAt,
    } = record;
    const ids = { conditionId, clobTokenIds: record['clob_token_ids'] };
    const market = { ...record, ...ids, outcomePrices, endDate, createdAt, ...resolutionOf(record) };
    const fetched = receivedUs ?? fetchedUs(record);
    return factsOfGamma(market, { around: {}, event: null, includesEvent: true, receivedUs: fetched });
  },
};

/** The prices of a closed market are exactly 0 and 1 once it is resolved. */
const resolutionOf = ({ closed, outcome_prices: prices }: JsonObject): JsonObject =>
  closed === true && typeof prices === 'string' && /^\[\s*"?([01])"?,\s*"?(?!\1)[01]"?\s*\]$/.test(prices)
    ? { umaResolutionStatus: 'resolved' }
    : {};
