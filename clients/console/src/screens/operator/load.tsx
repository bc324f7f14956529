import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { almanac } from '../../api/client.js';
import { duration } from '../../format/time.js';
import { Result } from '../../states/result.js';
import { LoadCharts } from './load-charts.js';

/** A gateway that has just started has its first sample after 5 s. */
const soonMs = 5_000;

/** What the system did in the last day. Read again as often as there is a new sample, while the tab is visible. */
export const Load = (): ReactNode => {
  const history = useQuery({
    queryKey: ['operator', 'history'],
    queryFn: ({ signal }) => almanac.operator.history({ signal }),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.samples.length === 0 ? soonMs : data.every_s * 1_000,
    refetchIntervalInBackground: false,
  });
  const first = history.data?.samples[0];
  return (
    <section className="card charts" aria-label="Last day" data-samples={history.data?.samples.length}>
      <header>
        <h2>Last day</h2>
        {history.data === undefined ? null : (
          <span className="hint">
            a sample every {duration(history.data.every_s)}
            {history.data.has_folder ? '' : ', until the gateway restarts'}
          </span>
        )}
      </header>
      <Result query={history} what="the last day">
        {(seen) =>
          first === undefined ? (
            <p className="body">The gateway has just started. Its first sample comes in a few seconds.</p>
          ) : (
            <LoadCharts history={seen} />
          )
        }
      </Result>
    </section>
  );
};
