import type { CatalogueFact } from '@almanac/contracts';
import type { Archive } from '../archive.js';
import { copyText } from '../values/copy-text.js';
import { pages } from './pages.js';

/** Series and events in memory. More of them are joined before the import goes on. */
const namesMax = 20_000;
/** Names in one call. */
const callMax = 1_000;

/**
 * The series and events that an import names. Markets of Kalshi state no category, and some no series, which their event and
 * series do in other files. The files of one import are read in that order. Here, markets get what a file of another import states.
 */
export class ParentJoins {
  private readonly series = new Set<string>();
  private readonly events = new Set<string>();

  constructor(private readonly archive: Archive) {}

  /** Takes facts that were recorded. */
  async seeFacts(facts: readonly CatalogueFact[]): Promise<void> {
    if (this.archive.valuesOfParents === undefined) return;
    for (const fact of facts) {
      if (fact.kind === 'market' && fact.category && fact.series) continue;
      const series = fact.kind === 'series' ? fact.id : fact.series;
      if (series) this.series.add(copyText(series));
      if (fact.kind !== 'series' && fact.event_ticker) this.events.add(copyText(fact.event_ticker));
    }
    if (this.series.size + this.events.size <= namesMax) return;
    await this.archive.settled();
    await this.join();
  }

  /** Gives markets of these series and events what they lack, and tells whether any lacks it. A repeated join changes nothing. */
  async join(): Promise<boolean> {
    const { archive } = this;
    const names = [
      ...Array.from(this.series, (name) => ({ name, kind: 'series' as const })),
      ...Array.from(this.events, (name) => ({ name, kind: 'events' as const })),
    ];
    this.series.clear();
    this.events.clear();
    const { valuesOfParents } = archive;
    if (valuesOfParents === undefined) return false;
    let isChanged = false;
    for (let from = 0; from < names.length; from += callMax) {
      const named = names.slice(from, from + callMax);
      const of = (kind: 'series' | 'events') => named.filter((one) => one.kind === kind).map(({ name }) => name);
      const parents = { series: of('series'), events: of('events') };
      for await (const markets of pages((after) => valuesOfParents({ ...parents, after }))) {
        if (markets.length === 0) continue;
        await archive.recordCatalogue(markets.map((market) => ({ kind: 'market', ...market })));
        isChanged = true;
      }
    }
    return isChanged;
  }
}
