import { mapNames, marketFields, venueCandlePrices, venueCandleSizes } from '@almanac/contracts';
import { z } from 'zod';
import { quoteDecimals } from '../model/quote-fields.js';
import { decimalUnit } from '../values/decimal-unit.js';
import { kalshiTickerTime } from '../values/ticker-time.js';
import { readDuration, timeUnits } from '../values/time.js';
import { isZone } from '../values/zone.js';
import { sourceFormats } from '../sources/source.js';
import { rowFaults } from './row-kind.js';
import { type DeclaredTime, unitFaults } from './declared-times.js';

const column = z.string().min(1).describe('a column of a CSV file, or a dotted path into a JSON object');
const zone = z.string().refine(isZone, 'must be a time zone, such as America/New_York');
const duration = z.string().refine((text) => readDuration(text) !== null, 'must be a duration, such as 30s, 15m or 1h');
const spanUnit = z.enum(['s', 'ms', 'us', 'ns']);

const pattern = z.string().transform((source, context) => {
  try {
    return new RegExp(source);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^Invalid regular expression: /, '') : String(cause);
    context.addIssue({ code: 'custom', message: `is not a valid regular expression: ${why}` });
    return z.NEVER;
  }
});

/** Takes the first group of the pattern, or the entire match if it has no group. */
const textSource = z.union([
  z.strictObject({
    column,
    pattern: pattern.optional(),
    values: z.record(z.string(), z.string()).optional().describe('what the source writes: what is meant'),
  }),
  z.strictObject({ ticker: pattern }),
  z.strictObject({ constant: z.string().min(1), when_ticker: pattern.optional() }),
]);

const decimalSource = z.union([
  z.strictObject({
    column,
    unit: decimalUnit.default('dollars'),
    decimals: z.int().min(0).max(12).optional(),
    float_noise: z.boolean().default(false).describe('whether float noise is removed, see values/decimal.ts'),
  }),
  z.strictObject({
    constant: z.string().regex(/^-?\d+(\.\d+)?$/, 'must be a decimal number in quotes, such as "0.5"'),
  }),
]);

/** Whose book a row shows. Without `first`, the value is `yes` or `no`. */
const outcomeSource = z.union([
  textSource.options[0],
  z.strictObject({ column, first: z.enum(['yes', 'no']).describe('the outcome that each market names first') }),
]);

/** A list of levels in one cell: `[[price, size], …]`, or objects with these keys. */
const levels = z.strictObject({
  column,
  price: z.string().min(1).default('price'),
  size: z.string().min(1).default('size'),
  absent: z.enum(['unknown', 'empty']).default('unknown').describe('what an empty cell or null says about this side'),
  unit: decimalUnit.default('dollars').describe('of the prices'),
  size_unit: decimalUnit.default('dollars'),
});

const bookEvent = z.union([
  textSource.options[0],
  z.strictObject({ constant: z.enum(['snapshot', 'level', 'change']) }),
]);

const timeColumn = z.strictObject({ column, unit: z.enum(timeUnits).optional(), assume_zone: zone.optional() });

const timeSource = z.union([
  timeColumn,
  z.strictObject({
    from_ticker: z.strictObject({
      pattern: pattern.prefault(kalshiTickerTime),
      zone: zone.default('America/New_York'),
    }),
  }),
  z.strictObject({
    row_time_plus: z.strictObject({ column, unit: spanUnit, round_to: duration.default('1m') }),
  }),
  z.strictObject({ before_close: duration }),
]);

/** A cell has a duration, or a number of the unit. */
const candlePeriod = z.union([
  z.strictObject({ constant: duration }),
  z.strictObject({ column, unit: z.enum(['s', 'm', 'h']).default('s') }),
]);

const oneOrMore = <Source extends z.ZodType>(source: Source) =>
  z.union([source.transform((only) => [only]), z.array(source).min(1)]);

const text = oneOrMore(textSource).optional();
const decimal = oneOrMore(decimalSource).optional();
const time = oneOrMore(timeSource).optional();

const fields = z.strictObject({
  ticker: z
    .union([
      z.strictObject({
        column,
        pattern: pattern.optional(),
        of: z.enum(['token', 'condition']).optional().describe('what it names the market by, if not by its ticker'),
      }),
      z.strictObject({ file_name: pattern }),
    ])
    .optional(),
  condition: text,
  yes_token: text,
  no_token: text,
  ...mapNames(marketFields.texts, () => text),
  series_label: text,
  capture: text,
  shape: z.strictObject({ constant: z.string().min(1) }).optional(),
  known_ts: timeColumn.optional().describe('when the source received the row of a market or fee'),
  rules: text,
  tick_size: decimal,
  open_ts: time,
  close_ts: time,
  settlement_ts: time,
  ...mapNames(marketFields.decimals, () => decimal),
  ts: timeColumn.optional().describe('its presence makes every row an observation'),
  venue_ts: timeColumn.optional(),
  seq: z.strictObject({ column, within: z.enum(['market', 'file']).optional() }).optional(),
  ...mapNames(quoteDecimals, () => decimalSource.options[0].optional()),
  coin: textSource.optional().describe('makes every row a price of a coin, such as BTC or BTC-USD'),
  trade_id: z
    .union([
      z.strictObject({ column, pattern: pattern.optional() }),
      z.strictObject({ from_content: z.literal(true).describe('of a source without ids') }),
    ])
    .optional()
    .describe('makes every row a trade'),
  price: decimalSource.options[0].optional(),
  size: decimalSource.options[0].optional(),
  taker_side: textSource.options[0].optional(),
  book_event: bookEvent.optional().describe('makes every row a level of an order book'),
  side: textSource.options[0].optional(),
  outcome: outcomeSource.optional(),
  message: z.strictObject({ column }).optional().describe('rows with one value are one message of the venue'),
  candle_end_ts: timeColumn.optional().describe('the end of a period, which makes every row a venue candle'),
  candle_period: candlePeriod.optional(),
  candle_source: textSource.optional().describe('whose candles they are. Without it: the name of the mapping'),
  ...mapNames(venueCandlePrices, () => decimalSource.options[0].optional()),
  ...mapNames(venueCandleSizes, () => decimalSource.options[0].optional()),
  fee_type: text.describe('makes every row a fee of a series'),
  fee_multiplier: decimalSource.options[0].optional(),
  fee_from_ts: timeColumn.optional(),
  yes_bids: levels.optional().describe('these four make every row a whole order book'),
  yes_asks: levels.optional(),
  no_bids: levels.optional(),
  no_asks: levels.optional(),
});

/** How often a source writes a row. Rows further apart than `every` times `tolerance` have a gap between them. */
const cadence = z
  .strictObject({
    every: z.union([z.literal('from_data'), duration]),
    tolerance: z
      .string()
      .regex(/^\d+(\.\d+)?x$/, 'must be a factor, such as 3x')
      .default('3x'),
  })
  .transform(({ every, tolerance }) => ({
    everyUs: every === 'from_data' ? null : readDuration(every),
    tolerance: Number(tolerance.slice(0, -1)),
  }))
  .describe('the distance between two rows of a market');

/** `everyUs` is null if the cadence is taken from the data. */
export type Cadence = z.output<typeof cadence>;

/** A mapping file: which column of a source is which field, in which unit. The README of this package explains it. */
export const mapping = z
  .strictObject({
    name: z.string().min(1),
    about: z.string().optional(),
    format: z.enum(sourceFormats).optional(),
    match: z.strictObject({ columns: z.array(column).min(1) }),
    expand: z.strictObject({ prefixes: z.array(z.string().min(1)).min(1) }).optional(),
    only: z
      .strictObject({ column, values: z.array(z.string()).min(1) })
      .optional()
      .describe('the rows that the mapping is for'),
    frame: z
      .strictObject({
        column,
        received: z.strictObject({ column, unit: z.enum(timeUnits).optional() }).optional(),
      })
      .optional()
      .describe('a column with frames of a venue, and the one with their receipt. Then there are no fields'),
    refuse_when: column.optional(),
    cadence: cadence.optional(),
    fields: fields.prefault({}),
  })
  .superRefine((value, context) => {
    for (const { path, message } of [...rowFaults(value), ...unitFaults(value)])
      context.addIssue({ code: 'custom', path: [...path], message });
  });

export type Mapping = z.infer<typeof mapping>;
export type MappingFields = Mapping['fields'];
export type TextSource = z.infer<typeof textSource>;
export type DecimalSource = z.infer<typeof decimalSource>;
export type DecimalColumn = z.infer<(typeof decimalSource.options)[0]>;
export type TimeSource = Exclude<z.infer<typeof timeSource>, { column: string }> | TimeColumn;
export type TimeColumn = z.infer<typeof timeColumn> & DeclaredTime;
export type LevelsColumn = z.infer<typeof levels>;
export type OutcomeSource = z.infer<typeof outcomeSource>;
export type BookEventSource = z.infer<typeof bookEvent>;
