import type { CatalogueFact } from '@almanac/contracts';
import { catalogueFormatOf, entitiesIn } from '../../venues/catalogue-formats.js';
import type { KnownCatalogue } from '../../sources/known-catalogue.js';
import type { RecordBlock } from '../../sources/source.js';
import {
  exactRefusal,
  type FileContext,
  noteFields,
  noteWindow,
  reasons,
  refuse,
  type BlockConsumer,
  refusalReason,
} from '../../intake/file-context.js';

/** Remembered facts about series and events, so that each is sent once although each market repeats it. */
const sentFactsMax = 10_000;

/** Imports a venue's catalogue file. Its records become facts, and only what later files need stays in memory. */
export const catalogueRecords = (context: FileContext, known: KnownCatalogue): BlockConsumer<RecordBlock> => {
  const sent = new Map<string, string>();
  const isUnsent = (fact: CatalogueFact): boolean => {
    if (fact.kind === 'market') return true;
    const id = `${fact.kind} ${fact.kind === 'series' ? fact.id : fact.event_ticker}`;
    const text = JSON.stringify(fact);
    if (sent.get(id) === text) return false;
    if (sent.size >= sentFactsMax) sent.clear();
    sent.set(id, text);
    return true;
  };

  return {
    consume: async ({ records }) => {
      for (const { value, line, receivedUs = null } of records)
        for (const record of entitiesIn(value)) {
          const no = (reason: string): void =>
            refuse(context, { line, cells: [JSON.stringify(record)], part: '' }, reason);
          const format = catalogueFormatOf(record);
          const found = format?.read(record, known, receivedUs);
          const refusal = found ? exactRefusal(context, found.altered) : reasons.otherRecord;
          if (!found || refusal !== null) {
            no(refusal ?? reasons.otherRecord);
            context.report.recordsRefused += 1;
            continue;
          }
          noteFields(context, found, line);
          for (const fact of found.facts) {
            known.see(fact);
            if (isUnsent(fact)) await send(context, fact, no);
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
  } else report.entities[fact.kind].sent += 1;
  const outcomes = fact.kind === 'market' ? report.outcomes : report.entities[fact.kind];
  return context.catalogue.add(fact, (outcome) => {
    if (outcome.outcome === 'refused') no(refusalReason(outcome));
    outcomes[outcome.outcome] += 1;
  });
};
