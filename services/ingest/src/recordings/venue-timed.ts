import type { CatalogueFact } from '@almanac/contracts';
import { type BookMessage, refusal } from '../model/feed-message.js';
import type { FrameFormat, FrameReader } from '../venues/venue.js';

/** Frames that may wait for a time. */
const waitingMax = 100_000;

/**
 * Reads frames whose receipt nobody noted, at the time of the venue. A frame without one has the time of the next frame
 * that has one: it was sent before it. What it states is then known from the venue, and not from a receipt.
 */
export const venueTimed = ({ timeOf }: FrameFormat, reader: FrameReader) => {
  let waiting: { readonly raw: string; readonly json: unknown }[] = [];
  let lastUs: number | null = null;
  const readAt = (us: number, { raw, json }: { raw: string; json: unknown }): readonly BookMessage[] =>
    reader.read(us, raw, json).map(withoutReceipt);
  const flush = (us: number): readonly BookMessage[] => {
    const ready = waiting;
    waiting = [];
    return ready.flatMap((frame) => readAt(us, frame));
  };
  const end = (): readonly BookMessage[] => {
    if (lastUs !== null) return flush(lastUs);
    const late = waiting;
    waiting = [];
    return late.map(({ raw }) => refusal({ reason: 'no time of the venue and no receive time', text: raw }));
  };
  return {
    read: (raw: string, json: unknown): readonly BookMessage[] => {
      const us = timeOf(json);
      if (us !== null) {
        lastUs = us;
        return [...flush(us), ...readAt(us, { raw, json })];
      }
      waiting.push({ raw, json });
      return waiting.length > waitingMax ? end() : [];
    },
    end,
  };
};

const withoutReceipt = (message: BookMessage): BookMessage => {
  if (message.kind === 'trade') return { ...message, trade: { ...message.trade, receivedUs: null } };
  if (message.kind === 'market' || message.kind === 'changed') return { ...message, fact: knownByVenue(message.fact) };
  return message;
};

const knownByVenue = (fact: CatalogueFact): CatalogueFact => {
  if (fact.kind !== 'market' || fact.history === undefined) return fact;
  return { ...fact, history: fact.history.map((known) => ({ ...known, basis: known.basis && 'venue' })) };
};
