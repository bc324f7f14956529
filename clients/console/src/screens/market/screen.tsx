import { counted } from '@almanac/client';
import './market.css';
import type { MarketDetail } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { Page } from '../../layout/page.js';
import { Link } from '../../parts/link.js';
import { WatchButton } from '../../parts/watch-button.js';
import { useAddressId } from '../../parts/use-address-id.js';
import { Result } from '../../states/result.js';
import { useChartSettings } from './chart-settings.js';
import { Charts } from './charts.js';
import { History, Rules } from './details.js';
import { marketQuery, overviewQuery, useCoverage } from '../../archive/market-data.js';
import { decimal } from '../../format/numbers.js';
import { Heading } from './heading.js';
import { AlertPanel } from './alert-panel.js';
import { useAlerting } from './use-alerting.js';
import { useLive } from './use-live.js';

/** One market: its price and book over its whole life, and what is known about it. */
export const Screen = (): ReactNode => {
  const ticker = useAddressId();
  const asOf = useAsOf();
  // Another market or another time begins with its whole life in sight.
  return <MarketScreen key={`${ticker} ${asOf ?? ''}`} ticker={ticker} asOf={asOf} />;
};

const MarketScreen = ({ ticker, asOf }: { readonly ticker: string; readonly asOf: number | undefined }): ReactNode => {
  // The server answers it last, so it is requested first.
  const overview = useQuery(overviewQuery(ticker, asOf));
  const market = useQuery(marketQuery(ticker, asOf));
  const coverage = useCoverage(ticker, !overview.isPending);
  const [{ isLive }] = useChartSettings();
  const live = useLive(ticker, { market: market.data?.market, overview: overview.data, isOn: isLive });
  const alerting = useAlerting(market.data, overview.data);
  const title = market.data?.market.title ?? ticker;
  return (
    <Page
      title={title}
      heading={
        <Heading
          ticker={ticker}
          title={title}
          market={market.data?.market}
          overview={overview.data}
          coverage={coverage.data}
          now={live.now}
        />
      }
      actions={
        <>
          {market.data === undefined ? null : <WatchButton kind="market" id={ticker} title={title} />}
          {market.data === undefined || alerting === undefined ? null : (
            <AlertPanel market={market.data.market} alerting={alerting} />
          )}
          <Link to={`/exports/new?ticker=${encodeURIComponent(ticker)}`} className="button primary">
            Export
          </Link>
        </>
      }
    >
      <Result query={market} what="the market">
        {(detail) => (
          <>
            <Result query={overview} what="the chart">
              {(chart) => (
                <Charts detail={detail} overview={chart} coverage={coverage} live={live} alerting={alerting} />
              )}
            </Result>
            <Facts detail={detail} />
            <div className="columns">
              <Rules rules={detail.rules} />
              <History history={detail.history} hasMore={detail.history_has_more} />
            </div>
          </>
        )}
      </Result>
    </Page>
  );
};

/** What a market is about in numbers: its strike and outcome, the coin, and what was traded. */
const Facts = ({ detail }: { readonly detail: MarketDetail }): ReactNode => {
  const { market, volume, trades_n, tick_size } = detail;
  const facts: readonly (readonly [string, string | null])[] = [
    ['Strike', market.floor_strike === null ? null : decimal(market.floor_strike)],
    ['Settled on', market.expiration_value === null ? null : decimal(market.expiration_value)],
    ['Coin at open', market.coin_price_start === null ? null : decimal(market.coin_price_start)],
    ['Coin at close', market.coin_price_end === null ? null : decimal(market.coin_price_end)],
    ['Volume', volume === null ? null : counted(volume, 'contract')],
    ['Trades', trades_n === null ? null : decimal(trades_n)],
    ['Tick', tick_size === null ? null : decimal(tick_size.value)],
  ];
  return (
    <dl className="fact-row">
      {facts.map(([name, value]) =>
        value === null || value === '–' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
};
