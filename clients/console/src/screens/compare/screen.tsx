import './compare.css';
import '../event/event.css';
import { type ReactNode, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { useAsOf } from '../../api/as-of.js';
import { pushSearch } from '../../api/search-of-address.js';
import { Page } from '../../layout/page.js';
import { Empty } from '../../states/empty.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { CompareView } from './compare-view.js';
import { MarketPicker } from './market-picker.js';
import { type Side, useSide } from './use-compared.js';

/** Two markets on one chart, also of two venues. Both are in the address. */
export const Screen = (): ReactNode => {
  const asOf = useAsOf();
  const [params] = useSearchParams();
  const [first = '', second = ''] = params.getAll('market');
  const choose = (...markets: readonly string[]): void => {
    const next = new URLSearchParams(location.search);
    // A window of other markets would show nothing.
    for (const name of ['market', 'from', 'to', 'at']) next.delete(name);
    for (const market of markets) next.append('market', market);
    pushSearch(next);
  };
  const isChosen = first !== '' && second !== '';
  return (
    <Page title={isChosen ? `${first} and ${second}` : 'Compare two markets'} heading={<h1>Compare two markets</h1>}>
      <div className="compare-choice">
        <MarketPicker name="First market" chosen={first} other={second} onChoose={(id) => choose(id, second)} />
        <button
          type="button"
          className="icon"
          aria-label="Swap the markets"
          title="Swap the markets"
          disabled={!isChosen}
          onClick={() => choose(second, first)}
        >
          ⇄
        </button>
        <MarketPicker name="Second market" chosen={second} other={first} onChoose={(id) => choose(first, id)} />
      </div>
      {isChosen ? (
        <Compared key={`${first} ${second} ${asOf ?? ''}`} first={first} second={second} />
      ) : (
        <Empty title={first === '' && second === '' ? 'No market is chosen' : 'One more market'}>
          Choose two markets above: of one event, of two venues, or of two days. Their prices are then drawn on one
          chart, with their difference below it.
        </Empty>
      )}
    </Page>
  );
};

const Compared = ({ first, second }: { readonly first: string; readonly second: string }): ReactNode => {
  const read = [useSide(first), useSide(second)] as const;
  const sides = [useReady(read[0]), useReady(read[1])] as const;
  const [one, other] = sides;
  const both = useMemo(
    () => (one === undefined || other === undefined ? undefined : ([one, other] as const)),
    [one, other],
  );
  const fault = read.flatMap(({ market, overview }) => [market, overview]).find(({ error }) => error !== null);
  if (fault?.error != null) return <Failure error={fault.error} onRetry={fault.refetch} />;
  if (both === undefined) return <Loading what="the markets" />;
  if (both.every(({ overview }) => overview.points.length === 0))
    return <Empty title="Nothing is recorded of these markets">Choose others above.</Empty>;
  return <CompareView sides={both} />;
};

const none = [] as const;

/** What was read of a market, once all of it is there. */
const useReady = ({ market, overview, coverage }: ReturnType<typeof useSide>): Side | undefined => {
  const [detail, chart] = [market.data, overview.data];
  const gaps = coverage.data?.gaps ?? none;
  return useMemo(
    () => (detail === undefined || chart === undefined ? undefined : { detail, overview: chart, gaps }),
    [detail, chart, gaps],
  );
};
