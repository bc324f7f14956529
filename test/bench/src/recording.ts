import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** A recording as wide as a real one: four coins a line, a line every 2 s, windows of 15 minutes. */
export interface Recording {
  /** No two recordings overlap in time. */
  readonly number: number;
  readonly linesN: number;
}

const everyS = 2;
const windowS = 900;
const coins = ['BTC', 'ETH', 'SOL', 'XRP'] as const;
/** 2026-04-01: in another month, and so another partition, than the archive that is read. */
const firstS = 1_775_001_600;
const betweenS = 2 * 86_400;

export const rowsIn = ({ linesN }: Pick<Recording, 'linesN'>): number => linesN * coins.length;

/** The time span of a recording. */
export const spanOf = ({ number, linesN }: Recording) => {
  const startS = firstS + number * betweenS;
  return { startS, endS: startS + linesN * everyS };
};

const fields = (coin: string): string[] =>
  `ticker,mid,spread,yes_bid,yes_ask,volume,oi,floor_strike,time_to_expiry,ob_imbalance,real_price,price_vs_strike_pct,mom_5s,mom_15s,mom_30s,error`
    .split(',')
    .map((name) => `${coin.toLowerCase()}_${name}`);

export const writeRecording = async (path: string, recording: Recording): Promise<void> => {
  const out = createWriteStream(path);
  out.write(`${['ts', 'ts_unix', ...coins.flatMap(fields), 'n_valid'].join(',')}\n`);
  const { startS } = spanOf(recording);
  for (let line = 0; line < recording.linesN; line += 1) {
    if (!out.write(lineOf(startS + line * everyS, line))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
};

const lineOf = (second: number, line: number): string => {
  const closeS = (Math.floor(second / windowS) + 1) * windowS;
  const cells = coins.map((coin, index) => {
    const bid = 1 + ((line * 7 + index * 31) % 97);
    const price = ((6_500_000 + ((line * 11 + index) % 100_000)) / 100).toFixed(2);
    const ticker = `KX${coin}15M-${stamp(closeS)}-${stamp(closeS).slice(-2)}`;
    const left = closeS - second;
    return `${ticker},${(bid + 0.5) / 100},0.01,${bid},${bid + 1},95725,27973,65434.98,${left}.081651,-0.6046,${price},0.1634,0.01,0.02,0.03,`;
  });
  const fraction = String(line % 1_000_000).padStart(6, '0');
  return `${new Date(second * 1_000).toISOString()},${second}.${fraction},${cells.join(',')},4\n`;
};

/** A stamp such as `26FEB242330`: the venue's US Eastern time, which is UTC-4 in April. */
const stamp = (second: number): string => {
  const [, day = '', month = '', year = '', hour = '', minute = ''] =
    /(\d\d) (\w{3}) \d\d(\d\d) (\d\d):(\d\d)/.exec(new Date((second - 4 * 3_600) * 1_000).toUTCString()) ?? [];
  return `${year}${month.toUpperCase()}${day}${hour}${minute}`;
};
