import type { Notice, OutputOf, timeseriesRpc } from '@almanac/contracts';
import { pluralize } from '@almanac/runtime';
import type { ListMarketsInput } from './list-markets.query.js';

/** What the time series service says about a market. */
export type Coverage = OutputOf<typeof timeseriesRpc.coverageOfMarkets>['markets'][number];

type Filter = Pick<ListMarketsInput, 'has_gaps' | 'covered_min'>;

export const hasCoverageFilter = ({ has_gaps, covered_min }: Filter): boolean =>
  typeof has_gaps === 'boolean' || typeof covered_min === 'number';

/** A market of which nothing states completeness is covered by no share, and has no gap but those that are known. */
export const fitsCoverage = (
  { has_gaps, covered_min }: Filter,
  { covered_share: share, ...known }: Coverage,
): boolean =>
  (has_gaps ?? known.has_gaps) === known.has_gaps && (typeof covered_min !== 'number' || (share ?? -1) >= covered_min);

export interface Compared {
  /** Markets that were compared. */
  readonly n: number;
  /** Of the listed ones, and of those that `covered_min` left out: how many have no statement of completeness. */
  readonly listedUnknownN: number;
  readonly leftOutUnknownN: number;
  /** Whether the page is not full, and more markets can match. */
  readonly isStopped: boolean;
}

/** What the list does not show by itself. */
export const coverageNotices = ({ has_gaps, covered_min }: Filter, compared: Compared): Notice[] => {
  const { n, listedUnknownN, leftOutUnknownN, isStopped } = compared;
  const notices: Notice[] = [];
  const add = (code: 'page_not_full' | 'completeness_unknown', detail: string, name: string): void =>
    void notices.push({ code, detail, loc: ['query', name], nearest: null });
  const first = typeof has_gaps === 'boolean' ? 'has_gaps' : 'covered_min';
  if (isStopped)
    add(
      'page_not_full',
      `${pluralize(n, 'market')} ${n === 1 ? 'was' : 'were'} compared, and the page is not full. More may match: send next_cursor as cursor.`,
      first,
    );
  if (has_gaps === false && listedUnknownN > 0)
    add(
      'completeness_unknown',
      `No recording of ${listedUnknownN} of these markets states that it is complete. For markets that are recorded completely, send covered_min=1.`,
      'has_gaps',
    );
  if (typeof covered_min === 'number' && leftOutUnknownN > 0)
    add(
      'completeness_unknown',
      `covered_min leaves out ${pluralize(leftOutUnknownN, 'market')} of which no recording states its completeness.`,
      'covered_min',
    );
  return notices;
};
