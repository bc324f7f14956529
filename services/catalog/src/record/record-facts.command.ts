import { subjects } from '@almanac/bus';
import type { CatalogueFact, catalogRpc, SeriesState } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { forEachConcurrent } from '@almanac/runtime';
import type { z } from 'zod';
import { eventDecider, type EventReference } from '../event/event.decider.js';
import { marketDecider } from '../market/market.decider.js';
import { seriesDecider, type SeriesReference } from '../series/series.decider.js';
import { commandRunner, type CommandRunner } from './command-runner.js';
import { type Outcome, batchDecider } from './batch-decider.js';
import { rejectionReason } from './validate-fact.js';
import { referenceCache } from './reference-cache.js';

type Recorded = z.output<typeof catalogRpc.record.output>;
type FactOutcome = Recorded['outcomes'][number];

export interface RecorderDeps {
  readonly store: EventStore;
  readonly series: ReadonlyMap<string, SeriesState>;
}

/** Resolves when every fact is stored or rejected with a reason. Throws `conflict` when the time is up. */
export type RecordFacts = (facts: readonly CatalogueFact[], timeoutMs: number) => Promise<Recorded>;

/** Concurrent entities: enough to keep the server busy, few enough for its memory. */
const concurrency = 128;

/**
 * Records facts in three steps: facts about series and events, referenced series and events, then markets. A crash in
 * between therefore leaves no market without its series or event. Facts about one entity are recorded in order and as one
 * event, those of different entities concurrently.
 */
export const createFactRecorder = ({ store, series }: RecorderDeps): RecordFacts => {
  const references = referenceCache(series);

  return async (facts, timeoutMs) => {
    const runner = commandRunner(store, timeoutMs);
    const outcomes: FactOutcome[] = facts.map((fact) => {
      const reason = rejectionReason(fact);
      return reason === null ? { outcome: 'unchanged' } : { outcome: 'refused', reason };
    });
    const accepted = facts
      .map((fact, index) => ({ fact, index }))
      .filter(({ index }) => outcomes[index]?.outcome !== 'refused');
    const newEvents = new Set<string>();
    const recordAll = (chosen: typeof accepted): Promise<void> =>
      forEachConcurrent(
        Map.groupBy(chosen, ({ fact }) => subjectOf(fact)).values(),
        concurrency,
        async (sameEntity) => {
          const recorded = await recordTogether(
            runner,
            sameEntity.map(({ fact }) => fact),
            newEvents,
          );
          for (const [at, { fact, index }] of sameEntity.entries()) {
            const outcome = recorded[at] ?? 'unchanged';
            if (fact.kind === 'event' && outcome === 'created') newEvents.add(fact.event_ticker);
            outcomes[index] = { outcome };
          }
        },
      );

    const stated = accepted.filter(({ fact }) => fact.kind !== 'market');
    const statedSubjects = new Set(stated.map(({ fact }) => subjectOf(fact)));
    await recordAll(stated);
    await forEachConcurrent(referencesOf(accepted.map(({ fact }) => fact)), concurrency, async ([subject, naming]) => {
      if (references.has(subject, naming)) return;
      if ('id' in naming) await runner.run(seriesDecider, { subject, command: { reference: naming } });
      else {
        const isNew = !statedSubjects.has(subject);
        const outcome = await runner.run(eventDecider, { subject, command: { reference: naming }, isNew });
        if (outcome === 'created') newEvents.add(naming.event_ticker);
      }
      references.add(subject, naming);
    });
    await recordAll(accepted.filter(({ fact }) => fact.kind === 'market'));
    return { outcomes, last_seq: runner.lastSeq };
  };
};

const subjectOf = (fact: CatalogueFact): string => {
  if (fact.kind === 'market') return subjects.market(fact.ticker);
  return fact.kind === 'series' ? subjects.series(fact.id) : subjects.event(fact.event_ticker);
};

/** Records the facts about one entity as one event. A market of a new event is almost always new, too. */
const recordTogether = async (
  runner: CommandRunner,
  facts: readonly CatalogueFact[],
  newEvents: ReadonlySet<string>,
): Promise<readonly Outcome[]> => {
  const [first] = facts;
  if (first === undefined) return [];
  const subject = subjectOf(first);
  const outcomes: Outcome[] = [];
  if (first.kind === 'market') {
    const command = facts.filter((fact) => fact.kind === 'market');
    const isNew = newEvents.has(first.event_ticker ?? '');
    await runner.run(batchDecider(marketDecider, outcomes), { subject, command, isNew });
  } else if (first.kind === 'series') {
    const command = facts.filter((fact) => fact.kind === 'series').map((fact) => ({ fact }));
    await runner.run(batchDecider(seriesDecider, outcomes), { subject, command });
  } else {
    const command = facts.filter((fact) => fact.kind === 'event').map((fact) => ({ fact }));
    await runner.run(batchDecider(eventDecider, outcomes), { subject, command });
  }
  return outcomes;
};

/** The referenced series and events by subject. Each field has its first stated value. */
const referencesOf = (facts: readonly CatalogueFact[]): ReadonlyMap<string, SeriesReference | EventReference> => {
  const series = new Map<string, SeriesReference>();
  const events = new Map<string, EventReference>();
  for (const fact of facts) {
    if (fact.kind === 'series') continue;
    if (fact.series) {
      const known = series.get(subjects.series(fact.series));
      series.set(subjects.series(fact.series), {
        id: fact.series,
        category: known?.category ?? fact.category ?? null,
        category_label: known?.category_label ?? fact.category_label ?? null,
      });
    }
    if (fact.kind !== 'market' || !fact.event_ticker) continue;
    const known = events.get(subjects.event(fact.event_ticker));
    events.set(subjects.event(fact.event_ticker), {
      event_ticker: fact.event_ticker,
      series: known?.series ?? fact.series ?? null,
      category: known?.category ?? fact.category ?? null,
    });
  }
  return new Map<string, SeriesReference | EventReference>([...series, ...events]);
};
