import type { Market, MarketQuality } from '@almanac/client';
import { type ReactNode, useMemo } from 'react';
import { lineColor, useThemeName } from '../../charts/colors.js';
import { CoverageBar } from '../../charts/coverage-bar.js';
import { type Signal, useSignal } from '../../charts/signal.js';
import type { Window } from '../../charts/window.js';
import { decimal, percent, price } from '../../format/numbers.js';
import type { LastPrice as Known } from '../../parts/last-prices.js';
import { priceColumns, statusColumn } from '../../parts/market-columns.js';
import { MarketLink } from '../../parts/market-link.js';
import { ownTitles } from '../../parts/titles.js';
import type { PagedRows } from '../../api/use-pages.js';
import { type Column, VirtualTable } from '../../parts/virtual-table.js';
import { indexAt } from '../../charts/index-at.js';
import type { Line } from './event-data.js';
import type { Recorded } from './use-recorded.js';
import { Sparkline } from './sparkline.js';

/** What the rows share with the charts above them. */
interface Charted {
  readonly lines: ReadonlyMap<string, Line>;
  readonly recorded: Recorded;
  readonly cursor: Signal<number | undefined>;
  readonly lifted: Signal<string | undefined>;
  readonly life: Window;
}

interface LadderTableProps {
  readonly ladder: PagedRows<Market>;
  readonly prices: ReadonlyMap<string, Known>;
  readonly drawn: readonly string[];
  readonly onToggle: (ticker: string) => void;
  /** Undefined for an event that has not opened. */
  readonly chart?: Charted;
}

/** More lines than this cannot be told apart. */
const drawnMax = 24;

/** The markets of an event by strike. Those that are checked are drawn, and the one under the pointer is in front. */
export const LadderTable = ({ ladder, prices, drawn, onToggle, chart }: LadderTableProps): ReactNode => {
  const theme = useThemeName();
  const names = useMemo(() => ownTitles(ladder.rows ?? []), [ladder.rows]);
  const { lines, recorded, cursor, lifted, life } = chart ?? {};
  const columns = useMemo(() => {
    const charted =
      lines === undefined ||
      recorded === undefined ||
      cursor === undefined ||
      lifted === undefined ||
      life === undefined
        ? undefined
        : { lines, recorded, cursor, lifted, life };
    return columnsOf({ prices, drawn, onToggle, theme, chart: charted, names });
  }, [names, prices, drawn, onToggle, theme, lines, recorded, cursor, lifted, life]);
  return (
    <VirtualTable
      label="Markets of the event"
      kind={chart === undefined ? 'ladder-plain' : 'ladder'}
      rows={ladder.rows ?? []}
      columns={columns}
      keyOf={({ ticker }) => ticker}
      hasMore={ladder.hasMore}
      error={ladder.error}
      loadMore={ladder.loadMore}
      onPoint={(market) => lifted?.set(market?.ticker)}
    />
  );
};

type Context = Omit<LadderTableProps, 'ladder' | 'chart'> & {
  readonly theme: string;
  readonly chart: Charted | undefined;
  /** What each title says that the others do not: the title of the event has the rest. */
  readonly names: ReadonlyMap<string, string>;
};

const columnsOf = ({ prices, drawn, onToggle, theme, chart, names }: Context): Column<Market>[] => [
  {
    name: 'draw',
    title: 'Draw',
    cell: ({ ticker }) => {
      const at = drawn.indexOf(ticker);
      return (
        <label className="draw">
          <input
            type="checkbox"
            checked={at >= 0}
            disabled={at < 0 && drawn.length >= drawnMax}
            onChange={() => onToggle(ticker)}
            aria-label={`Draw ${ticker}`}
          />
          <span className="swatch" style={at < 0 ? {} : { background: lineColor(at, theme) }} aria-hidden="true" />
        </label>
      );
    },
  },
  {
    name: 'title',
    title: 'Market',
    cell: ({ ticker, title }) => <MarketLink ticker={ticker} title={title} name={names.get(ticker)} />,
  },
  { name: 'strike', title: 'Strike', isNumber: true, cell: ({ floor_strike }) => decimal(floor_strike) },
  statusColumn,
  ...(chart === undefined ? [] : chartedColumns(chart, drawn, theme)),
  ...priceColumns(prices),
];

const chartedColumns = (chart: Charted, drawn: readonly string[], theme: string): Column<Market>[] => [
  {
    name: 'path',
    title: 'Price',
    cell: ({ ticker }) => {
      const line = chart.lines.get(ticker);
      const at = drawn.indexOf(ticker);
      return line === undefined ? null : <Sparkline line={line} color={at < 0 ? undefined : lineColor(at, theme)} />;
    },
  },
  {
    name: 'recorded',
    title: 'Recorded',
    cell: ({ ticker }) => {
      const { byTicker, isWhole, fromDay } = chart.recorded;
      const market = byTicker.get(ticker);
      if (market !== undefined) return <RecordedStrip market={market} life={chart.life} />;
      // What is read has each market that was open on one of its days.
      return isWhole ? <span className="hint">{`closed before ${fromDay}`}</span> : null;
    },
  },
  {
    name: 'cursor',
    title: 'At cursor',
    isNumber: true,
    cell: ({ ticker }) => <PriceAt line={chart.lines.get(ticker)} cursor={chart.cursor} />,
  },
];

/** The price at the cursor. It renders alone, so a movement costs as much as there are rows in sight. */
const PriceAt = ({ line, cursor }: { readonly line: Line | undefined; readonly cursor: Charted['cursor'] }) => {
  const at = useSignal(cursor);
  if (line === undefined) return '–';
  return price(at === undefined ? line.prices.findLast((one) => one !== null) : line.prices[indexAt(line.ts, at)]);
};

/** The strip changes only with its times. Rows render whenever the cursor rests. */
const RecordedStrip = ({ market, life }: { readonly market: MarketQuality; readonly life: Window }) => {
  const { covered_share: share, gaps, gaps_n, open_ts, close_ts } = market;
  const [from, to] = [open_ts ?? life.from, Math.min(close_ts ?? life.to, life.to)];
  const times = useMemo(() => ({ from, to }), [from, to]);
  const label = share === null ? 'No recording states its completeness' : `${percent(share)} recorded, gaps: ${gaps_n}`;
  return <CoverageBar label={label} life={times} gaps={gaps} isStated={share !== null} />;
};
