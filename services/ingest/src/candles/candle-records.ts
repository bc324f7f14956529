import { type BlockConsumer, type FileContext, refuse } from '../import/file-context.js';
import { observedMarkets } from '../import/observed-markets.js';
import { metadataKey } from '../sources/json-page.js';
import { type JsonObject, type RecordBlock } from '../sources/source.js';
import type { CandleFormat } from './candle-format.js';
import { candleIntake } from './candle-intake.js';
import { fileEvidence, tickerOfPath } from './file-rules.js';
import { candleReasons, type FileRules, readCandle, type StatedCandle } from './venue-candle.js';

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
  statedUs: number,
): BlockConsumer<RecordBlock> => {
  const { report } = context;
  const markets = observedMarkets(context);
  const intake = candleIntake(context, markets, statedUs);
  const evidence = fileEvidence(format.periods);
  const ofPath = tickerOfPath(format, report.file);
  let waiting: WaitingCandle[] = [];
  /** Null until the waiting ones were many enough to decide. */
  let decided: FileRules | null = null;

  const note = (text: string): void => {
    if (!report.notes.includes(text)) report.notes.push(text);
  };
  const no = ({ record, line }: Omit<WaitingCandle, 'stated'>, reason: string): void => {
    report.candlesRefused += 1;
    refuse(context, { line, cells: [JSON.stringify(record)], part: '' }, reason);
  };
  const take = async (candle: WaitingCandle): Promise<void> => {
    const { stated, line } = candle;
    if (decided?.unit === null) decided = { ...decided, unit: evidence.unit() };
    const read = readCandle(stated, decided ?? undecided);
    if (typeof read === 'string') return no(candle, read);
    if (stated.periodS === null) note(`the period of ${read.candle.periodS} s is the distance of the rows`);
    const refusal = intake.take(read, { factOf: () => format.factOf(read.candle.ticker), line });
    if (refusal !== null) refuse(context, { line, cells: [JSON.stringify(candle.record)], part: '' }, refusal);
    if (intake.isFull()) await intake.send();
    if (!markets.isFull()) return;
    await intake.send();
    await markets.close();
  };
  const takeWaiting = async (): Promise<void> => {
    const taken = waiting;
    waiting = [];
    decided ??= { unit: evidence.unit(), periodS: evidence.periodS() };
    for (const candle of taken) await take(candle);
  };
  const see = async (candle: WaitingCandle): Promise<void> => {
    evidence.see(candle.stated);
    if (decided !== null || isComplete(candle.stated)) return take(candle);
    waiting.push(candle);
    if (waiting.length >= waitingMax) await takeWaiting();
  };

  return {
    consume: async ({ records }) => {
      for (const { value, line, receivedUs = null, request } of records) {
        const around = { ticker: null, periodS: null, receivedUs };
        // What a recorder states about its request is around the answers that it lists.
        const document =
          request === undefined || metadataKey in value ? value : { [metadataKey]: request, response: value };
        const found = format.candlesIn(document, around) ?? format.candlesIn(value, around);
        report.rowsRead += found?.length ?? 1;
        if (found === null) no({ record: value, line }, candleReasons.other);
        for (const given of found ?? []) {
          const stated = format.read(given);
          const isOfPath = stated.ticker === null && ofPath !== null;
          if (isOfPath) note(`the market is that of the name of the ${ofPath.of}`);
          await see({ stated: isOfPath ? { ...stated, ticker: ofPath.ticker } : stated, record: given.record, line });
        }
      }
    },
    finish: async () => {
      try {
        await takeWaiting();
        await intake.send();
      } finally {
        await intake.drained();
      }
      await markets.close();
    },
  };
};

const undecided: FileRules = { unit: null, periodS: null };

const isComplete = ({ periodS, prices }: StatedCandle): boolean =>
  periodS !== null && Object.values(prices).every((price) => price === null || price.unit !== 'plain');
