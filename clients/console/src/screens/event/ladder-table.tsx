import type { Market } from '@almanac/client';
import { type ReactNode, useMemo } from 'react';
import { useThemeName } from '../../charts/colors.js';
import { lineColor } from '../../charts/colors.js';
import { decimal, price } from '../../format/numbers.js';
import type { LastPrice } from '../../parts/last-prices.js';
import { MarketLink } from '../../parts/market-link.js';
import { Capture, Status } from '../../parts/status.js';
import type { PagedRows } from '../../api/use-pages.js';
import { type Column, VirtualTable } from '../../parts/virtual-table.js';

interface LadderTableProps {
  readonly ladder: PagedRows<Market>;
  readonly prices: ReadonlyMap<string, LastPrice>;
  readonly drawn: readonly string[];
  readonly onToggle: (ticker: string) => void;
}

/** More lines than this cannot be told apart. */
const drawnMax = 24;

/** The markets of an event by strike. Those that are checked are drawn. */
export const LadderTable = ({ ladder, prices, drawn, onToggle }: LadderTableProps): ReactNode => {
  const theme = useThemeName();
  const columns = useMemo(() => columnsOf({ prices, drawn, onToggle, theme }), [prices, drawn, onToggle, theme]);
  return (
    <VirtualTable
      label="Markets of the event"
      kind="ladder"
      rows={ladder.rows ?? []}
      columns={columns}
      keyOf={({ ticker }) => ticker}
      hasMore={ladder.hasMore}
      error={ladder.error}
      loadMore={ladder.loadMore}
    />
  );
};

type Context = Omit<LadderTableProps, 'ladder'> & { readonly theme: string };

const columnsOf = ({ prices, drawn, onToggle, theme }: Context): Column<Market>[] => [
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
    cell: ({ ticker, title }) => <MarketLink ticker={ticker} title={title} />,
  },
  { name: 'strike', title: 'Strike', isNumber: true, cell: ({ floor_strike }) => decimal(floor_strike) },
  { name: 'status', title: 'Status', cell: ({ status, result }) => <Status status={status} result={result} /> },
  { name: 'capture', title: 'Recorded', cell: Capture },
  { name: 'bid', title: 'Bid', isNumber: true, cell: ({ ticker }) => price(prices.get(ticker)?.bid) },
  { name: 'ask', title: 'Ask', isNumber: true, cell: ({ ticker }) => price(prices.get(ticker)?.ask) },
];
