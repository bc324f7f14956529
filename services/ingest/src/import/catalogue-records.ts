import type { CatalogueFact } from '@almanac/contracts';
import { catalogueFormatOf, thingsIn } from '../sources/catalogue-formats.js';
import type { KnownCatalogue } from '../sources/known-catalogue.js';
import type { RecordBlock } from '../sources/source.js';
import { type FileContext, noteFields, noteWindow, reasons, refuse, type Taker, untaken } from './file-context.js';

/** Facts about series and events that are remembered so that each is sent once, though each of its markets tells it. */
const rememberedMax = 10_000;

/** A file of a venue's catalogue: its records become facts, and nothing of them stays but what later files need. */
export const catalogueRecords = (context: FileContext, known: KnownCatalogue): Taker<RecordBlock> => {
  const sent = new Map<string, string>();
  const isNews = (fact: CatalogueFact): boolean => {
    if (fact.kind === 'market') return true;
    const id = `${fact.kind} ${fact.kind === 'series' ? fact.id : fact.event_ticker}`;
    const text = JSON.stringify(fact);
    if (sent.get(id) === text) return false;
    if (sent.size >= rememberedMax) sent.clear();
    sent.set(id, text);
    return true;
  };

  return {
    take: async ({ records }) => {
      for (const { value, line } of records)
        for (const thing of thingsIn(value)) {
          const no = (reason: string): void =>
            refuse(context, { line, cells: [JSON.stringify(thing)], part: '' }, reason);
          const format = catalogueFormatOf(thing);
          if (!format) {
            no(reasons.otherRecord);
            continue;
          }
          const found = format.read(thing, known);
          noteFields(context, found);
          for (const fact of found.facts) {
            known.see(fact);
            if (isNews(fact)) await send(context, fact, no);
          }
        }
    },
    finish: () => context.catalogue.flush(),
  };
};

const send = (context: FileContext, fact: CatalogueFact, no: (reason: string) => void): Promise<void> => {
  const { report } = context;
  if (fact.kind === 'market') {
    noteWindow(context, fact);
    report.markets += 1;
  } else report.told[fact.kind].sent += 1;
  const outcomes = fact.kind === 'market' ? report.outcomes : report.told[fact.kind];
  return context.catalogue.add(fact, (outcome) => {
    if (outcome.outcome === 'refused') no(untaken(outcome));
    else outcomes[outcome.outcome] += 1;
  });
};
