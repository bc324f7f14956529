import { z } from 'zod';
import { decimal, micros, secondsOf } from '../requests/numbers.js';
import { parseJson } from '../requests/json.js';

/** Where a knowledge time comes from, best first: the receipt of a recorder, a time of the venue, or a conclusion. */
export const knowledgeBases = ['recorded', 'venue', 'inferred'] as const;
const knowledgeBasis = z.enum(knowledgeBases);
export type KnowledgeBasis = z.output<typeof knowledgeBasis>;

/** When a statement was known. Both are null if nothing tells it. */
export const knowledge = z.object({ known_us: micros.nullable(), basis: knowledgeBasis.nullable() });
export type Knowledge = z.output<typeof knowledge>;
export const unknownTime: Knowledge = { known_us: null, basis: null };

/**
 * The fields of a market whose values have a knowledge time. `rules` and `tick_size` have no other field in the state, so
 * they are in the history even if their time is unknown.
 */
export const datedFields = [
  'title',
  'venue_status',
  'result',
  'open_us',
  'close_us',
  'settlement_us',
  'floor_strike',
  'coin_price_start',
  'expiration_value',
  'settlement_value',
  'rules',
  'tick_size',
] as const;
export type DatedField = (typeof datedFields)[number];

/** Longest rules. Those of real markets have a few thousand characters. */
export const rulesCharsMax = 10_000;

/** Values kept of each field that `history` lists. */
export const changesMax = 32;

/** How many values of a field are kept, the earliest, and their longest text. Together they fit into one event. */
export const historyLimits = (field: DatedField): { readonly versions: number; readonly chars: number } => {
  if (field === 'rules') return { versions: 4, chars: rulesCharsMax };
  if (field === 'title' || field === 'tick_size') return { versions: 8, chars: 2_000 };
  return { versions: changesMax, chars: 200 };
};

/** Values that became known together, as texts. An empty text takes a value back. Two values of one field with the same time are two items. */
export const knownValues = knowledge.extend({
  values: z.partialRecord(z.enum(datedFields), z.string().max(rulesCharsMax)),
});
export type KnownValues = z.output<typeof knownValues>;

/** What a series costs to trade. `valid_from_us` is stated by the venue for a scheduled change. */
export const seriesFee = knowledge.extend({
  type: z.string().min(1).max(200),
  multiplier: decimal.nullable(),
  valid_from_us: micros.nullable(),
});
export type SeriesFee = z.output<typeof seriesFee>;

const knowledgeTime = z
  .number()
  .nullable()
  .meta({
    description:
      'Time from which this was known to the world, in Unix seconds. Never the time when Almanac imported it. Null if no source tells it',
    examples: [1771992900.25],
  });
const basis = knowledgeBasis.nullable().meta({
  description:
    'Where `known_ts` comes from: `recorded` is the time when a recorder received it, `venue` a time of the venue, such as the creation or the settlement. `inferred` follows from another time, such as an early close from the close. Of two sources, the better basis counts, then the earlier time',
  examples: ['recorded'],
});
const known = { known_ts: knowledgeTime, basis };
const validFrom = (what: string) =>
  z
    .number()
    .nullable()
    .meta({
      description: `Time from which ${what} valid, in Unix seconds: the time that the venue states, otherwise \`known_ts\``,
      examples: [1771992900.25],
    });

export const marketRules = z
  .object({
    text: z.string().meta({
      description: 'Rules of the resolution, as the venue words them. The secondary rules follow after an empty line',
      examples: ['If the price is at least 65434.98 at the close, the market resolves to Yes.'],
    }),
    valid_from_ts: validFrom('this version is'),
    ...known,
  })
  .meta({ id: 'MarketRules', description: 'The rules of a market.' });

const price = (description: string, example: number) => z.number().meta({ description, examples: [example] });
export const marketTickSize = z
  .object({
    value: price('Smallest price step of all ranges, as a fraction of 1', 0.01),
    ranges: z
      .array(
        z
          .object({
            start: price('Lowest price of the range', 0),
            end: price('Highest price of the range', 1),
            step: price('Price step in the range', 0.01),
          })
          .meta({ id: 'TickRange', description: 'A range of prices with one step.' }),
      )
      .meta({ description: 'Price steps by range' }),
    valid_from_ts: validFrom('these steps are'),
    ...known,
  })
  .meta({ id: 'MarketTickSize', description: 'The price steps of a market.' });

export const marketFee = z
  .object({
    type: z.string().meta({ description: 'Kind of fee in the words of the venue', examples: ['quadratic'] }),
    multiplier: z
      .number()
      .nullable()
      .meta({ description: 'Factor of the fee. Null if the venue states none', examples: [1] }),
    valid_from_ts: validFrom('the fee is'),
    ...known,
  })
  .meta({ id: 'MarketFee', description: 'The trading fee of the series of a market.' });

/** The changes that `history` lists. The others are only for knowledge times. */
const listedFields = {
  venue_status: 'venue_status',
  close_us: 'close_ts',
  result: 'result',
  settlement_value: 'settlement_value',
} as const;
export const marketChange = z
  .object({
    field: z.enum(['venue_status', 'close_ts', 'result', 'settlement_value']).meta({
      description:
        'What changed: `venue_status` is the status in the words of the venue, `close_ts` the close, `result` the outcome, `settlement_value` what a contract of the yes side paid',
      examples: ['result'],
    }),
    value: z.union([z.string(), z.number()]).meta({
      description:
        'Value from then on. A close is in Unix seconds, and a settlement value a fraction of 1. An empty text: the venue took the value back',
      examples: ['yes'],
    }),
    ...known,
  })
  .meta({ id: 'MarketChange', description: 'A value of a market, and when it was known.' });
export type MarketChange = z.output<typeof marketChange>;

const shown = ({ known_us, basis: from }: Knowledge) => ({ known_ts: secondsOf(known_us), basis: from });

/** Every value of a field, the earliest first, and those of unknown time last. */
export const versionsOf = (
  history: readonly KnownValues[],
  field: DatedField,
): readonly (Knowledge & { readonly value: string })[] =>
  history.flatMap(({ values, known_us, basis: from }) => {
    const value = values[field];
    return value === undefined ? [] : [{ value, known_us, basis: from }];
  });

/** The version that was known last. One of unknown time counts only if there is no other. */
const latestOf = (history: readonly KnownValues[], field: DatedField) => {
  const versions = versionsOf(history, field);
  return versions.findLast(({ known_us }) => known_us !== null) ?? versions.at(-1);
};

export const presentRules = (history: readonly KnownValues[]): z.output<typeof marketRules> | null => {
  const version = latestOf(history, 'rules');
  return version === undefined
    ? null
    : { text: version.value, valid_from_ts: secondsOf(version.known_us), ...shown(version) };
};

const tickRanges = z.array(z.tuple([decimal, decimal, decimal])).min(1);

/** Ranges of prices with their steps as the text of a value: start, end and step are exact decimals. */
export const tickSizeText = (ranges: readonly (readonly [start: string, end: string, step: string])[]): string =>
  JSON.stringify(ranges);

export const presentTickSize = (history: readonly KnownValues[]): z.output<typeof marketTickSize> | null => {
  const version = latestOf(history, 'tick_size');
  const { data } = tickRanges.safeParse(parseJson(version?.value ?? ''));
  if (version === undefined || data === undefined) return null;
  const ranges = data.map(([start, end, step]) => ({ start: Number(start), end: Number(end), step: Number(step) }));
  const value = Math.min(...ranges.map(({ step }) => step));
  return { value, ranges, valid_from_ts: secondsOf(version.known_us), ...shown(version) };
};

const startOf = ({ valid_from_us, known_us }: SeriesFee): number =>
  valid_from_us ?? known_us ?? Number.NEGATIVE_INFINITY;

/** The fee at a time. The same fee, stated again later, is valid from its first statement. */
export const presentFee = (
  fees: readonly SeriesFee[],
  nowUs: number,
): { readonly fee: z.output<typeof marketFee> | null; readonly nextUs: number | null } => {
  const inOrder = fees.toSorted((a, b) => startOf(a) - startOf(b));
  const started = inOrder.filter((fee) => startOf(fee) <= nowUs);
  const nextUs = inOrder.map(startOf).find((us) => us > nowUs) ?? null;
  const last = started.at(-1);
  if (last === undefined) return { fee: null, nextUs };
  const change = started.findLastIndex((one) => one.type !== last.type || one.multiplier !== last.multiplier);
  const first = started[change + 1] ?? last;
  const multiplier = first.multiplier === null ? null : Number(first.multiplier);
  const start = first.valid_from_us ?? first.known_us;
  return { fee: { type: first.type, multiplier, valid_from_ts: secondsOf(start), ...shown(first) }, nextUs };
};

type ListedField = keyof typeof listedFields;
const shownValue = (field: ListedField, value: string): MarketChange['value'] => {
  if (value === '') return value;
  if (field === 'close_us') return secondsOf(Number(value)) ?? 0;
  return field === 'settlement_value' ? Number(value) : value;
};
const isListed = (field: string): field is ListedField => field in listedFields;

/**
 * The changes of status, close, result and settlement value, the earliest known first. A current value that no statement dates has no
 * knowledge time.
 */
export const presentHistory = (
  history: readonly KnownValues[],
  current: { readonly [Name in ListedField]: string | number | null },
): { readonly history: MarketChange[]; readonly history_has_more: boolean } => {
  const fields = Object.keys(listedFields).filter(isListed);
  const undated = fields.flatMap((field): KnownValues[] => {
    const value = current[field];
    if (value === null || value === '') return [];
    const isKnown = versionsOf(history, field).some((version) => version.value === String(value));
    return isKnown ? [] : [{ ...unknownTime, values: { [field]: String(value) } }];
  });
  const lastOf = new Map<ListedField, string>();
  const changes = [...history, ...undated].flatMap((item) =>
    fields.flatMap((field): MarketChange[] => {
      const value = item.values[field];
      // A repeated statement is no change, and one that takes back nothing neither.
      if (value === undefined || value === (lastOf.get(field) ?? '')) return [];
      lastOf.set(field, value);
      return [{ field: listedFields[field], value: shownValue(field, value), ...shown(item) }];
    }),
  );
  const isFull = fields.some((field) => versionsOf(history, field).length >= changesMax);
  return { history: changes, history_has_more: isFull };
};
