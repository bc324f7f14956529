import { subjects } from '@almanac/bus';
import type { CatalogueFact, catalogRpc, SeriesState } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { atOnce } from '@almanac/runtime';
import type { z } from 'zod';
import { eventDecider, type EventNaming } from '../event/event.decider.js';
import { marketDecider } from '../market/market.decider.js';
import { seriesDecider, type SeriesNaming } from '../series/series.decider.js';
import { decisionRunner, type DecisionRunner } from './decision-runner.js';
import { refusalOf } from './refusal.js';
import { settledNamings } from './settled-namings.js';

type Recorded = z.output<typeof catalogRpc.record.output>;
type FactOutcome = Recorded['outcomes'][number];

export interface RecorderParts {
  readonly store: EventStore;
  /** Current states by subject. */
  readonly series: ReadonlyMap<string, SeriesState>;
}

/** Answers once every fact is stored, or refused with a reason; throws `conflict` when the time runs out. */
export type RecordFacts = (facts: readonly CatalogueFact[], timeoutMs: number) => Promise<Recorded>;

/** Things at work at once: enough to keep the stream's server busy, few enough for its memory. */
const concurrency = 128;

/**
 * Records facts: what is told of series and events first, then the series and events that are only named, then the
 * markets, so that a process which dies in between leaves no market without what it belongs to. Facts of one thing are
 * recorded in their order, those of different things at once.
 */
export const factRecorder = ({ store, series }: RecorderParts): RecordFacts => {
  const settled = settledNamings(series);

  return async (facts, timeoutMs) => {
    const runner = decisionRunner(store, timeoutMs);
    const outcomes: FactOutcome[] = facts.map((fact) => {
      const reason = refusalOf(fact);
      return reason === null ? { outcome: 'unchanged' } : { outcome: 'refused', reason };
    });
    const accepted = facts
      .map((fact, index) => ({ fact, index }))
      .filter(({ index }) => outcomes[index]?.outcome !== 'refused');
    const newEvents = new Set<string>();
    const recordAll = (chosen: typeof accepted): Promise<void> =>
      atOnce(Map.groupBy(chosen, ({ fact }) => subjectOf(fact)).values(), concurrency, async (sameThing) => {
        for (const { fact, index } of sameThing) {
          const outcome = await record(runner, fact, newEvents);
          if (fact.kind === 'event' && outcome === 'created') newEvents.add(fact.event_ticker);
          outcomes[index] = { outcome };
        }
      });

    const told = accepted.filter(({ fact }) => fact.kind !== 'market');
    const toldSubjects = new Set(told.map(({ fact }) => subjectOf(fact)));
    await recordAll(told);
    await atOnce(namingsOf(accepted.map(({ fact }) => fact)), concurrency, async ([subject, naming]) => {
      if (settled.has(subject, naming)) return;
      if ('id' in naming) await runner.run(seriesDecider, { subject, command: { naming } });
      else {
        const isNew = !toldSubjects.has(subject);
        const outcome = await runner.run(eventDecider, { subject, command: { naming }, isNew });
        if (outcome === 'created') newEvents.add(naming.event_ticker);
      }
      settled.add(subject, naming);
    });
    await recordAll(accepted.filter(({ fact }) => fact.kind === 'market'));
    return { outcomes, last_seq: runner.lastSeq };
  };
};

const subjectOf = (fact: CatalogueFact): string => {
  if (fact.kind === 'market') return subjects.market(fact.ticker);
  return fact.kind === 'series' ? subjects.series(fact.id) : subjects.event(fact.event_ticker);
};

/** A market of an event that was not there before is new as well, all but always. */
const record = (runner: DecisionRunner, fact: CatalogueFact, newEvents: ReadonlySet<string>) => {
  const subject = subjectOf(fact);
  switch (fact.kind) {
    case 'market':
      return runner.run(marketDecider, { subject, command: fact, isNew: newEvents.has(fact.event_ticker ?? '') });
    case 'series':
      return runner.run(seriesDecider, { subject, command: { fact } });
    case 'event':
      return runner.run(eventDecider, { subject, command: { fact } });
  }
};

/** The series and events that facts name, each once by its subject, with the first that each field was told as. */
const namingsOf = (facts: readonly CatalogueFact[]): ReadonlyMap<string, SeriesNaming | EventNaming> => {
  const series = new Map<string, SeriesNaming>();
  const events = new Map<string, EventNaming>();
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
  return new Map<string, SeriesNaming | EventNaming>([...series, ...events]);
};
