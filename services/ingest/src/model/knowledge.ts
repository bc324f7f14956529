import {
  type DatedField,
  datedFields,
  historyLimits,
  type Knowledge,
  type KnownValues,
  rulesCharsMax,
  unknownTime,
} from '@almanac/contracts';
import type { MarketFact } from './market-fact.js';

/** What a source says about the time of a record. Null: nothing. */
export interface SourceTimes {
  /** When the source received the record. The import's own time is never one. */
  readonly receivedUs: number | null;
  /** When the venue created the market. */
  readonly createdUs: number | null;
  /** When the venue last changed the record, so that its values were stated then at the latest. */
  readonly statedUs?: number | null;
  /** Fields that the record states to be without a value. */
  readonly withoutValue?: readonly DatedField[];
  /** Whether the venue may have moved the close of this market to an earlier time. */
  readonly mayCloseEarly?: boolean;
}

/** Texts that only the history of a market has. */
export interface StatedTerms {
  readonly rules?: string | null | undefined;
  readonly tick_size?: string | null | undefined;
}

/**
 * The fact with the knowledge times of its values. The receipt of the record counts for all of them. Without one, the
 * venue's times do: the settlement for what was settled, the open for the strike, otherwise the creation or the open. An
 * early close was known when it happened. A value without any of these times stays undated,
 * and one that is too long for the history, too.
 */
export const withKnowledge = (fact: MarketFact, times: SourceTimes, terms: StatedTerms = {}): MarketFact => {
  const groups = new Map<string, KnownValues>();
  for (const field of datedFields) {
    const value = field === 'rules' || field === 'tick_size' ? terms[field] : fact[field];
    const isTakenBack = times.withoutValue?.includes(field) === true;
    if ((value === null || value === undefined || value === '') && !isTakenBack) continue;
    const text = String(value ?? '');
    if (text.length > historyLimits(field).chars) continue;
    const known = knowledgeOf(field, fact, times);
    if (known === null && field !== 'rules' && field !== 'tick_size') continue;
    const { known_us, basis } = known ?? { known_us: null, basis: null };
    const key = `${basis ?? ''} ${known_us ?? ''}`;
    const group = groups.get(key) ?? { known_us, basis, values: {} };
    groups.set(key, { ...group, values: { ...group.values, [field]: text } });
  }
  return groups.size === 0 ? fact : { ...fact, history: [...groups.values()] };
};

const knowledgeOf = (field: DatedField, fact: MarketFact, times: SourceTimes): Knowledge | null => {
  const { receivedUs, createdUs, mayCloseEarly = false } = times;
  if (receivedUs !== null) return { known_us: receivedUs, basis: 'recorded' };
  if (times.statedUs !== null && times.statedUs !== undefined) return statedKnowledge(field, fact, times.statedUs);
  const { open_us: openUs = null, close_us: closeUs = null, settlement_us: settledUs = null } = fact;
  if (settledFields.has(field)) return venueTime(settledUs);
  if (field === 'venue_status') return statusTime(fact, createdUs);
  if (field === 'floor_strike' || field === 'coin_price_start') return venueTime(openUs ?? createdUs);
  const mayHaveMoved = mayCloseEarly && !isTradedStatus(fact.venue_status);
  return field === 'close_us' && mayHaveMoved ? inferredTime(closeUs) : venueTime(createdUs ?? openUs);
};

/**
 * A record with its own time states what may change at this time. The settlement and what came with it were known from the
 * settlement. The open and the strike are fixed when the market opens.
 */
const statedKnowledge = (field: DatedField, fact: MarketFact, statedUs: number): Knowledge | null => {
  const { open_us: openUs = null, settlement_us: settledUs = null } = fact;
  const atMost = (us: number | null): Knowledge | null => venueTime(us === null ? statedUs : Math.min(us, statedUs));
  if (settledFields.has(field) || (field === 'venue_status' && settled.has(fact.venue_status)))
    return atMost(settledUs);
  return field === 'floor_strike' || field === 'coin_price_start' ? atMost(openUs) : venueTime(statedUs);
};

const settledFields: ReadonlySet<DatedField> = new Set([
  'result',
  'expiration_value',
  'settlement_value',
  'settlement_us',
]);

const venueTime = (us: number | null): Knowledge | null => (us === null ? null : { known_us: us, basis: 'venue' });
const inferredTime = (us: number | null): Knowledge | null =>
  us === null ? null : { known_us: us, basis: 'inferred' };

const beforeOpen: ReadonlySet<unknown> = new Set(['initialized', 'unopened']);
const traded: ReadonlySet<unknown> = new Set(['active', 'open']);
const settled: ReadonlySet<unknown> = new Set(['determined', 'settled', 'finalized', 'resolved']);

const isTradedStatus = (status: unknown): boolean => beforeOpen.has(status) || traded.has(status);

/** A status begins with the time that it is named after. Others, such as a pause, have no such time. */
const statusTime = (fact: MarketFact, createdUs: number | null): Knowledge | null => {
  const {
    venue_status: status,
    open_us: openUs = null,
    close_us: closeUs = null,
    settlement_us: settledUs = null,
  } = fact;
  if (beforeOpen.has(status)) return venueTime(createdUs);
  if (traded.has(status)) return venueTime(openUs);
  if (settled.has(status)) return venueTime(settledUs);
  return status === 'closed' ? inferredTime(closeUs) : null;
};

/** The knowledge time of what only a receipt dates. */
export const receiptKnowledge = (receivedUs: number | null): Knowledge =>
  receivedUs === null ? unknownTime : { known_us: receivedUs, basis: 'recorded' };

/** Rules in one text. Null if there are none, or if they are too long to be stored; then `dropped` says so. */
export const rulesText = (parts: readonly (string | null)[], dropped: string[]): string | null => {
  const text = parts.filter((part) => part !== null && part !== '').join('\n\n');
  if (text.length > rulesCharsMax) dropped.push(`rules: longer than ${rulesCharsMax} characters`);
  return text === '' || text.length > rulesCharsMax ? null : text;
};
