import type { CatalogueFact, VenueId } from '@almanac/contracts';
import type { BookMessage } from '../model/feed-message.js';
import type { FrameFormat, FrameReader, RecorderFolder, Venue } from './venue.js';

type State = <Fact extends CatalogueFact>(fact: Fact) => Fact;

/** A venue whose formats state it in each fact about a market. The form of an id does not: other venues may use the same. */
export const statingVenue = (id: VenueId, venue: Venue): Venue => {
  const state: State = (fact) => (fact.kind === 'market' ? { ...fact, venue: id } : fact);
  const { catalogueFormats, tradeFormats, candleFormats, frames, recorderFolder, ...others } = venue;
  return {
    ...others,
    catalogueFormats: catalogueFormats.map((format) => ({
      ...format,
      read: (record, known, receivedUs) => {
        const read = format.read(record, known, receivedUs);
        return { ...read, facts: read.facts.map(state) };
      },
    })),
    tradeFormats: tradeFormats.map((format) => ({
      ...format,
      read: (record, sources) => {
        const read = format.read(record, sources);
        return typeof read === 'string' || 'leftOut' in read ? read : { ...read, fact: state(read.fact) };
      },
    })),
    candleFormats: candleFormats.map((format) => ({ ...format, factOf: (ticker) => state(format.factOf(ticker)) })),
    frames: statingFrames(state, frames),
    ...(recorderFolder !== undefined && { recorderFolder: statingRecordings(state, recorderFolder) }),
  };
};

const statingFrames = (state: State, frames: FrameFormat): FrameFormat => ({
  ...frames,
  reader: (outcomes): FrameReader => {
    const reader = frames.reader(outcomes);
    return {
      ...reader,
      read: (us, raw, json) => statingAll(state, reader.read(us, raw, json)),
      factOf: (ticker) => state(reader.factOf(ticker)),
    };
  },
});

const statingRecordings = (state: State, folder: RecorderFolder): RecorderFolder => ({
  ...folder,
  open: async (path, accept) => {
    const source = await folder.open(path, accept);
    return {
      ...source,
      factOf: (ticker) => state(source.factOf(ticker)),
      blocks: async function* () {
        for await (const messages of source.blocks()) yield statingAll(state, messages);
      },
    };
  },
});

const hasFact = (message: BookMessage): message is Extract<BookMessage, { readonly fact: CatalogueFact }> =>
  message.kind === 'market' || message.kind === 'changed';

/** Few messages have a fact, so most lists stay as they are. */
const statingAll = (state: State, messages: readonly BookMessage[]): readonly BookMessage[] =>
  messages.some(hasFact)
    ? messages.map((message) => (hasFact(message) ? { ...message, fact: state(message.fact) } : message))
    : messages;
