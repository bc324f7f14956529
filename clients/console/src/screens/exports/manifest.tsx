import { counted } from '@almanac/client';
import type { Export } from '@almanac/client';
import type { ReactNode } from 'react';
import { count } from '../../format/numbers.js';
import { clockOf, dateTime } from '../../format/time.js';
import { Table } from '../../parts/table.js';
import { Link, paths } from '../../parts/link.js';

type ManifestAnswer = NonNullable<Export['manifest']>;
const shownMax = 50;

/** What is in the file: markets with their data versions, and the gaps in between. */
export const Manifest = ({ manifest: { markets, gaps, gaps_n: gapsN } }: { readonly manifest: ManifestAnswer }) => (
  <section className="card" aria-label="Contents">
    <header>
      <h2>Contents</h2>
      <span className="hint">
        {counted(markets.length, 'market')}, {counted(gapsN, 'gap')}
      </span>
    </header>
    <Table label="Markets in the file" columns={['Market', '#Rows', '#Data version', 'Gaps']} isCard={false}>
      {markets.slice(0, shownMax).map(({ ticker, rows, data_version: version }) => (
        <tr key={ticker}>
          <td>
            <Link to={paths.market(ticker)}>{ticker}</Link>
          </td>
          <td className="number">{count(rows)}</td>
          <td className="number">{version}</td>
          <td>
            <Gaps gaps={gaps.filter((gap) => gap.ticker === ticker)} />
          </td>
        </tr>
      ))}
    </Table>

    {markets.length > shownMax ? (
      <p className="body hint">
        The first {shownMax} of {count(markets.length)} markets. The file has all of them.
      </p>
    ) : null}
  </section>
);

const Gaps = ({ gaps }: { readonly gaps: ManifestAnswer['gaps'] }): ReactNode => {
  const [first] = gaps;
  if (first === undefined) return <span className="hint">none</span>;
  const end = first.end_ts === null ? 'the end' : clockOf(first.end_ts);
  return (
    <>
      {dateTime(first.start_ts)} to {end}
      {gaps.length > 1 ? ` and ${gaps.length - 1} more` : ''}
    </>
  );
};
