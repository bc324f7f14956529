import { ApiError, type MarketsAt } from '@almanac/client';
import { almanac } from '../api/client.js';
import { requestsPerMinute } from '../api/requests-left.js';
import { gapsElsewhere } from '../archive/market-data.js';
import { rounded } from '../charts/window.js';
import { alertsOf, changeAlerts } from './alert-store.js';
import { begun, compared, isWaiting, type PriceAlert, type PricesAt, sideOf, valueOf } from './price-alert.js';

/** Seconds between two rounds. */
export const roundS = 10;
/** What other reads of the page keep of the requests of a minute: alerts take a quarter of them, and nothing of the last fifth. */
const shareOfLimit = 0.25;
const rowsMax = 5_000;
/** Reads of one market in a round, such as after a night. The next round goes on. */
const pagesMax = 4;
const readsMax = 50;
/** A market can close earlier than stated. */
const checkEveryS = 300;
/** What a capture stores after the close is compared, too. */
const graceS = 60;
const microsecond = 1e-6;

/** What a round tells the next one. */
export interface RoundMemory {
  /** The last observation of each market, as the round before knew it. Null: a gap. */
  readonly lastTs: Map<string, number | null>;
  /** Where to read on, for markets of which not everything was read. */
  readonly readOn: Map<string, number>;
  readonly readAt: Map<string, number>;
  readonly checkedAt: Map<string, number>;
  readonly closeTs: Map<string, number | null>;
}

export const emptyMemory = (): RoundMemory => ({
  lastTs: new Map(),
  readOn: new Map(),
  readAt: new Map(),
  checkedAt: new Map(),
  closeTs: new Map(),
});

interface Round {
  readonly keyId: string;
  readonly memory: RoundMemory;
  readonly signal: AbortSignal;
  readonly nowS: number;
  readonly budget: { left: number };
}

/**
 * One look at all markets that somebody waits for. One request asks for the last observation of each. Of those that have a new one,
 * everything stored since is read, so nothing between two rounds is missed. Returns the alerts that fired.
 */
export const watchRound = async (keyId: string, memory: RoundMemory, signal: AbortSignal): Promise<PriceAlert[]> => {
  const budget = budgetNow();
  if (budget === undefined || waitingOf(keyId).length === 0) return [];
  const round: Round = { keyId, memory, signal, nowS: Date.now() / 1_000, budget: { left: budget } };
  const prices = await readPrices(round);
  if (prices === undefined) return [];
  change(round, (alert) => (alert.last_ts === null ? begun(alert, prices.get(alert.ticker)) : alert));
  const fired: PriceAlert[] = [];
  for (const ticker of dueOf(round, prices)) {
    if (round.budget.left <= 0) break;
    fired.push(...(await readSince(round, ticker, prices.get(ticker)?.ts ?? null)));
  }
  fired.push(...(await checkClose(round)));
  return fired;
};

/** Undefined: the account has few requests left in this minute, and the screens need them. */
const budgetNow = (): number | undefined => {
  const known = requestsPerMinute();
  if (known === undefined) return readsMax;
  if (known.remaining < known.limit / 5) return undefined;
  return Math.max(1, Math.min(readsMax, Math.floor((known.limit * shareOfLimit * roundS) / 60) - 1));
};

const waitingOf = (keyId: string): PriceAlert[] => alertsOf(keyId).filter(isWaiting);

/** Changes what still waits: meanwhile, the person may have removed an alert. Returns those that fired by it. */
const change = ({ keyId }: Round, next: (alert: PriceAlert) => PriceAlert): PriceAlert[] => {
  const before = waitingOf(keyId);
  if (before.every((alert) => next(alert) === alert)) return [];
  const fired: PriceAlert[] = [];
  changeAlerts(keyId, (alerts) =>
    alerts.map((alert) => {
      const changed = isWaiting(alert) ? next(alert) : alert;
      if (changed !== alert && changed.crossing !== null) fired.push(changed);
      return changed;
    }),
  );
  return fired;
};

type Prices = ReadonlyMap<string, PricesAt>;

const readPrices = async (round: Round): Promise<Prices | undefined> => {
  const { keyId, nowS, signal } = round;
  const tickers = [...new Set(waitingOf(keyId).map(({ ticker }) => ticker))];
  const fields = ['yes_best_bid' as const, 'yes_best_ask' as const];
  try {
    const { snapshots }: MarketsAt = await almanac.markets.at({ tickers, at_ts: [rounded(nowS)], fields }, { signal });
    return new Map(snapshots.map((snapshot) => [snapshot.ticker, snapshot]));
  } catch (error) {
    if (!isUnknown(error)) throw error;
    await endUnknown(round, tickers);
    return undefined;
  }
};

const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.code === 'market_not_found';

/** One market that the archive no longer has must not hide the others. */
const endUnknown = async (round: Round, tickers: readonly string[]): Promise<void> => {
  for (const ticker of tickers) {
    try {
      await almanac.markets.get(ticker, {}, { signal: round.signal });
    } catch (error) {
      if (!isUnknown(error)) throw error;
      change(round, (alert) => (alert.ticker === ticker ? { ...alert, ended_ts: round.nowS } : alert));
    }
  }
};

/** The markets with something new: first those whose price is beyond that of an alert now, then those that have waited longest. */
const dueOf = ({ keyId, memory }: Round, prices: Prices): string[] => {
  const waiting = waitingOf(keyId);
  const tickers = [...new Set(waiting.map(({ ticker }) => ticker))].filter((ticker) => {
    const ts = prices.get(ticker)?.ts ?? null;
    const compareds = waiting.filter((alert) => alert.ticker === ticker).map(({ last_ts }) => last_ts ?? 0);
    // A gap that has begun hides what came before it.
    const isNew = ts === null ? (memory.lastTs.get(ticker) ?? null) !== null : Math.min(...compareds) < ts;
    return isNew || memory.readOn.has(ticker);
  });
  const isBeyond = (ticker: string): boolean =>
    waiting.some((alert) => alert.ticker === ticker && isOnOtherSide(alert, prices.get(ticker)));
  const rankOf = (ticker: string): number => (isBeyond(ticker) ? -1 : (memory.readAt.get(ticker) ?? 0));
  return tickers.toSorted((one, other) => rankOf(one) - rankOf(other));
};

const isOnOtherSide = ({ of, price, side }: PriceAlert, prices: PricesAt | undefined): boolean =>
  side !== null && prices !== undefined && sideOf(valueOf(prices, of), price) !== side;

/** Compares everything that is stored since. Without an end, the answer is one for as long as nothing is new. */
const readSince = async (round: Round, ticker: string, lastTs: number | null): Promise<PriceAlert[]> => {
  const { keyId, memory, budget, signal, nowS } = round;
  const fired: PriceAlert[] = [];
  memory.readAt.set(ticker, nowS);
  for (let pages = 0; pages < pagesMax && budget.left > 0; pages += 1) {
    const own = waitingOf(keyId).filter((alert) => alert.ticker === ticker);
    if (own.length === 0) break;
    budget.left -= 1;
    const start_ts =
      memory.readOn.get(ticker) ?? rounded(Math.min(...own.map(({ last_ts }) => last_ts ?? nowS)) + microsecond);
    const page = await almanac.markets
      .snapshots(ticker, { start_ts, step_ms: 0, limit: rowsMax }, { signal, coverage: gapsElsewhere })
      .firstPage();
    const closeTs = memory.closeTs.get(ticker) ?? Infinity;
    const rows = page.snapshots.filter(({ ts }) => (ts ?? 0) < closeTs);
    fired.push(...change(round, (alert) => (alert.ticker === ticker ? compared(alert, rows) : alert)));
    if (page.has_more && page.next_start_ts !== null) memory.readOn.set(ticker, page.next_start_ts);
    else {
      memory.readOn.delete(ticker);
      memory.lastTs.set(ticker, lastTs);
      break;
    }
  }
  return fired;
};

/** Whether a market has ended: one in a round. What was stored until its close is compared before its alerts end. */
const checkClose = async (round: Round): Promise<PriceAlert[]> => {
  const { memory, signal, nowS } = round;
  const ticker = leastChecked(round);
  if (ticker === undefined) return [];
  const { market } = await almanac.markets.get(ticker, {}, { signal });
  memory.checkedAt.set(ticker, nowS);
  memory.closeTs.set(ticker, market.close_ts);
  if (market.status === 'live' || nowS < (market.close_ts ?? 0) + graceS) return [];
  round.budget.left = Math.max(round.budget.left, pagesMax);
  const fired = await readSince(round, ticker, null);
  if (memory.readOn.has(ticker)) return fired;
  const ended_ts = market.close_ts ?? nowS;
  return [...fired, ...change(round, (alert) => (alert.ticker === ticker ? { ...alert, ended_ts } : alert))];
};

const leastChecked = ({ keyId, memory, nowS }: Round): string | undefined => {
  const isDue = (ticker: string): boolean => {
    const checkedAt = memory.checkedAt.get(ticker) ?? 0;
    const isOver = (memory.closeTs.get(ticker) ?? Infinity) + graceS <= nowS;
    return nowS - checkedAt >= (isOver ? roundS : checkEveryS);
  };
  const tickers = waitingOf(keyId).map(({ ticker }) => ticker);
  const checkedOf = (ticker: string): number => memory.checkedAt.get(ticker) ?? 0;
  return tickers.filter(isDue).toSorted((one, other) => checkedOf(one) - checkedOf(other))[0];
};
