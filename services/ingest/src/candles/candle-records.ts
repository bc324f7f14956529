import { type BlockConsumer, type FileContext, refuse } from '../intake/file-context.js';
import { observedMarkets } from '../intake/observed-markets.js';
import { finishRecords, sendIfFull } from '../intake/record-intake.js';
import { metadataKey } from '../sources/json-page.js';
import { type JsonObject, type RecordBlock } from '../sources/source.js';
import type { CandleFormat, CandleRecord } from '../venues/candle-format.js';
import { candleIntake } from './candle-intake.js';
import { fileEvidence, tickerOfPath } from './file-rules.js';
import { candleReasons, type FileRules, readCandle, type StatedCandle } from '../model/venue-candle.js';

/** Candles that wait until the file has shown its unit and period. */
const waitingMax = 50_000;

interface WaitingCandle {
  readonly stated: StatedCandle;
  readonly record: JsonObject;
  readonly line: number;
}

/** Imports a venue's candles. A market that the catalogue does not know is created from them. */
export const candleRecords = (
  context: FileContext,
  format: CandleFormat,
  startedAt: Date,
): BlockConsumer<RecordBlock> => {
  const { report } = context;
  const markets = observedMarkets(context);
  const intake = candleIntake(context, markets, startedAt);
  const ofPath = tickerOfPath(format, report.file);
  const no = ({ record, line }: Omit<WaitingCandle, 'stated'>, reason: string): void => {
    report.candlesRefused += 1;
    refuse(context, { line, cells: [JSON.stringify(record)], part: '' }, reason);
  };
  const take = async (candle: WaitingCandle, rules: FileRules): Promise<void> => {
    const { stated, line } = candle;
    const read = readCandle(stated, rules);
    if (typeof read === 'string') return no(candle, read);
    if (stated.periodS === null) noteOnce(report, `the period of ${read.candle.periodS} s is the distance of the rows`);
    const refusal = intake.take(read, { factOf: () => format.factOf(read.candle.ticker), line });
    if (refusal !== null) refuse(context, { line, cells: [JSON.stringify(candle.record)], part: '' }, refusal);
    await sendIfFull(intake, markets);
  };
  const candles = waitingCandles(format, take);

  return {
    consume: async ({ records }) => {
      for (const { value, line, receivedUs = null, request } of records) {
        const found = candlesOf(format, value, { receivedUs, request });
        report.rowsRead += found?.length ?? 1;
        if (found === null) no({ record: value, line }, candleReasons.other);
        for (const given of found ?? []) {
          const stated = format.read(given);
          const isOfPath = stated.ticker === null && ofPath !== null;
          if (isOfPath) noteOnce(report, `the market is that of the name of the ${ofPath.of}`);
          await candles.see({
            stated: isOfPath ? { ...stated, ticker: ofPath.ticker } : stated,
            record: given.record,
            line,
          });
        }
      }
    },
    finish: () => finishRecords(intake, markets, candles.finish),
  };
};

/** Passes candles on, once their file has shown what they do not state. */
const waitingCandles = (
  { periods }: CandleFormat,
  take: (candle: WaitingCandle, rules: FileRules) => Promise<void>,
) => {
  const evidence = fileEvidence(periods);
  let waiting: WaitingCandle[] = [];
  /** Null until the waiting ones were many enough to decide. */
  let decided: FileRules | null = null;
  const finish = async (): Promise<void> => {
    const taken = waiting;
    waiting = [];
    decided ??= { unit: evidence.unit(), periodS: evidence.periodS() };
    for (const candle of taken) await take(candle, decided);
  };
  return {
    see: async (candle: WaitingCandle): Promise<void> => {
      evidence.see(candle.stated);
      if (decided?.unit === null) decided = { ...decided, unit: evidence.unit() };
      if (decided !== null || isComplete(candle.stated)) return take(candle, decided ?? undecided);
      waiting.push(candle);
      if (waiting.length >= waitingMax) await finish();
    },
    finish,
  };
};

const noteOnce = ({ notes }: FileContext['report'], text: string): void => {
  if (!notes.includes(text)) notes.push(text);
};

/** What a recorder states about its request is around the answers that it lists. */
const candlesOf = (
  format: CandleFormat,
  value: JsonObject,
  { receivedUs, request }: { readonly receivedUs: number | null; readonly request: JsonObject | undefined },
): readonly CandleRecord[] | null => {
  const around = { ticker: null, periodS: null, receivedUs };
  const document = request === undefined || metadataKey in value ? value : { [metadataKey]: request, response: value };
  return format.candlesIn(document, around) ?? format.candlesIn(value, around);
};

const undecided: FileRules = { unit: null, periodS: null };

const isComplete = ({ periodS, prices }: StatedCandle): boolean =>
  periodS !== null && Object.values(prices).every((price) => price === null || price.unit !== 'plain');
