import type { Market } from '@almanac/client';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { createSignal } from '../../charts/signal.js';
import { useSettled } from '../../charts/use-settled.js';
import { useChartView } from '../../charts/use-view.js';
import { isSame, outward, type Window, withMargin } from '../../charts/window.js';
import type { LastPrice } from '../../parts/last-prices.js';
import { Failure } from '../../states/failure.js';
import { useFilters } from '../../parts/use-filters.js';
import { Share } from '../../parts/share.js';
import { type LadderKind, ladderKindOf } from './distribution.js';
import { type EventChartKind, EventCharts } from './event-charts.js';
import { areExclusive, type Ladder, sumMarketsMax } from './event-data.js';
import { gapsOf } from './event-gaps.js';
import { LadderTable } from './ladder-table.js';
import { shortNames } from '../../parts/titles.js';
import { useRecorded } from './use-recorded.js';
import { useDrawn } from './use-drawn.js';
import { useDrawnLines } from './use-lines.js';

interface EventViewProps {
  readonly id: string;
  readonly title: string;
  readonly life: Window;
  readonly ladder: Ladder & { readonly rows: readonly Market[] };
  readonly prices: ReadonlyMap<string, LastPrice>;
  /** The chart comes first: of how many pages of the ladder the last prices may be read. */
  readonly onCharted: (pages: number) => void;
}

const viewPauseMs = 200;

/** The charts of an event and the table of its markets, with one window, one cursor, and one line in front. */
export const EventView = ({ id, title, life, ladder, prices, onCharted }: EventViewProps): ReactNode => {
  const limits = useMemo(() => withMargin(life), [life]);
  const { nav, view, cursor } = useChartView(limits);
  const [lifted] = useState(() => createSignal<string | undefined>(undefined));
  const settled = useSettled(view, viewPauseMs);
  const shown = useMemo(() => (isSame(settled, limits) ? life : clip(outward(settled), life)), [settled, limits, life]);
  const [chosen, choose] = useDrawn();
  const hasSum = !ladder.hasMore && ladder.rows.length <= sumMarketsMax && areExclusive(ladder.rows);
  const ladderKind = useMemo(() => ladderKindOf(ladder.rows), [ladder.rows]);
  const [{ kind: given }, setSetting] = useFilters(['kind']);
  const kinds = useMemo(() => kindsOf(ladder.rows.length, ladderKind), [ladder.rows, ladderKind]);
  const kind = kinds.find((one) => one === given) ?? 'lines';
  const needsAll = hasSum || kind !== 'lines';
  const read = useDrawnLines({ id, shown, ladder, chosen, needsAll });
  const isRead = read.isDone || read.error !== null;
  const pages = isRead ? Infinity : read.isLoading ? 0 : 1;
  useEffect(() => onCharted(pages), [onCharted, pages]);
  const recorded = useRecorded(id, life, isRead);
  const { tickers } = read;
  const gaps = useMemo(() => gapsOf(tickers, recorded.byTicker), [tickers, recorded.byTicker]);
  const names = useMemo(() => shortNames(ladder.rows), [ladder.rows]);
  const nameOf = useCallback((ticker: string) => names.get(ticker) ?? ticker, [names]);
  const toggle = useCallback(
    (ticker: string) =>
      choose(tickers.includes(ticker) ? tickers.filter((other) => other !== ticker) : [...tickers, ticker]),
    [tickers, choose],
  );
  return (
    <>
      <EventCharts
        {...{ id, shown, read, hasSum, nav, cursor, lifted, gaps, nameOf, kind, kinds, ladderKind }}
        onKind={(name) => setSetting('kind', name === 'lines' ? '' : name)}
        markets={ladder.rows}
        isBusy={
          read.isLoading ||
          (recorded.error === null && !recorded.isWhole) ||
          (kind !== 'lines' && read.all === undefined && (read.error ?? ladder.error) === null)
        }
      >
        <Share title={title} id={id} shown={shown} />
      </EventCharts>
      {recorded.error === null ? null : <Failure error={recorded.error} onRetry={recorded.refetch} />}
      <LadderTable
        ladder={ladder}
        prices={prices}
        drawn={tickers}
        onToggle={toggle}
        chart={{ lines: read.byTicker, recorded, cursor, lifted, life }}
      />
    </>
  );
};

/** What can be drawn of an event: a heatmap of several markets, and the distribution that a ladder of strikes implies. */
const kindsOf = (marketsN: number, ladderKind: LadderKind | undefined): EventChartKind[] => [
  'lines',
  ...(marketsN > 1 ? (['heatmap'] as const) : []),
  ...(ladderKind === undefined ? [] : (['distribution'] as const)),
];

/** The API answers times within the life of the event. */
const clip = ({ from, to }: Window, life: Window): Window => ({
  from: Math.min(Math.max(from, life.from), life.to - 1),
  to: Math.max(Math.min(to, life.to), life.from + 1),
});
