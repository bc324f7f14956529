import { hasReached, type StreamPosition, subjects } from '@almanac/bus';
import type { ReplyMeta } from '@almanac/contracts';
import { entryCache } from '@almanac/runtime';

/** Where the changes of cached answers arrive, and how an answer shows that it has those that arrived before it. */
export interface Feed {
  /** Whether changes arrive, so that cached answers are current. */
  readonly trusted: () => boolean;
  /** How far changes have arrived when a request begins. */
  readonly position: () => StreamPosition;
  /** A change of these topics during a request makes its answer too old to be cached. */
  readonly topicsBefore: (ticker: string) => readonly string[];
  /** Whether the answer has all changes that arrived before its request began. */
  readonly isCurrent: (
    meta: ReplyMeta,
    request: { readonly ticker: string; readonly since: StreamPosition },
  ) => boolean;
  /** A change of these topics drops the cached answer. */
  readonly topicsAfter: (ticker: string, meta: ReplyMeta) => readonly string[];
  /** Whether requests share a call before its answer may be cached. For a short answer, sharing costs more than a call. */
  readonly sharesFirst: boolean;
}

export type FeedName = 'archive' | 'catalogue';

export const marketTopic = (ticker: string): string => `market:${ticker}`;
/** Which series a market has is known only from its answer. */
export const anySeriesTopic = 'any series';

/** Markets whose last data version is stored. A service may be behind only on the most recently changed ones. */
const versionsMax = 100_000;

/** Answers from a market's data, with its data version. */
export const archiveFeed = (trusted: () => boolean) => {
  const versions = entryCache<string, number>(versionsMax);
  const feed: Feed = {
    trusted,
    position: () => [],
    topicsBefore: (ticker) => [marketTopic(ticker)],
    isCurrent: ({ version = 0 }, { ticker }) => version >= (versions.get(ticker) ?? 0),
    topicsAfter: (ticker) => [marketTopic(ticker)],
    sharesFirst: true,
  };
  return { ...feed, versionChanged: (ticker: string, version: number) => versions.set(ticker, version) };
};

/** Answers from events of the catalogue, with the position up to which the service had received them. */
export const catalogueFeed = ({ trusted, position }: Pick<Feed, 'trusted' | 'position'>): Feed => ({
  trusted,
  position,
  topicsBefore: (ticker) => [subjects.market(ticker), anySeriesTopic],
  isCurrent: ({ catalogue }, { since }) => catalogue !== undefined && hasReached(catalogue.position, since),
  topicsAfter: (_, { catalogue }) => catalogue?.subjects ?? [],
  sharesFirst: false,
});
