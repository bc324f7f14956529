import type { Placed } from './subscriptions.js';

/**
 * What the numbers of a subscription say. `whole`: the recording has every message, so a missing number is a loss.
 * `shared`: the numbers count over markets that the recording may not have, so only a number that falls shows a loss.
 * `market`: each market has numbers of its own. `none`: the numbers mean nothing.
 */
const sequenceRules = ['whole', 'shared', 'market', 'none'] as const;
export type SequenceRule = (typeof sequenceRules)[number];

export interface Sequences {
  ruleOf(sid: number | null): SequenceRule;
  /** Whether messages between two of a `whole` subscription are missing from all files of the import. */
  isLost(from: Placed, to: Placed): boolean;
}

export const everySequence = (rule: SequenceRule): Sequences => ({ ruleOf: () => rule, isLost: () => true });

/** The position that counts: none without numbers, and a subscription of its own for each market with its own numbers. */
export const placing = (sequences: Sequences) => {
  const own = new Map<string, number>();
  const ownSid = (ticker: string): number => {
    const known = own.get(ticker) ?? -1 - own.size;
    own.set(ticker, known);
    return known;
  };
  return <M extends Placed & { readonly ticker?: string }>(message: M): M => {
    if (message.seq === null) return message;
    const rule = sequences.ruleOf(message.sid);
    if (rule === 'none') return { ...message, sid: null, seq: null };
    if (rule !== 'market') return message;
    const { ticker } = message;
    return ticker === undefined ? { ...message, seq: null } : { ...message, sid: ownSid(ticker) };
  };
};
