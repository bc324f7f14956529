import { counted } from '@almanac/client';
import type { ExportQuote, ExportRequest } from '@almanac/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { almanac } from '../../api/client.js';
import { money } from '../../format/money.js';
import { bytes, count } from '../../format/numbers.js';
import { Table } from '../../parts/table.js';
import { Link } from '../../parts/link.js';
import { ActionFault } from '../../states/action-fault.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { isRequest } from './request.js';

interface QuoteProps {
  readonly request: ExportRequest | { readonly missing: string };
  /** The form has changed since. */
  readonly isStale: boolean;
  /** The button that exports. It shows once something can be exported. */
  readonly children: (quote: ExportQuote) => ReactNode;
}

const grants = {
  plan: 'Included in your plan',
  unlock: 'You own this event',
  free_credit: 'Uses a free export credit',
} as const;

/** Rows, size and price of a request, from a dry run. */
export const Quote = ({ request, isStale, children }: QuoteProps): ReactNode => {
  const quote = useQuery({
    queryKey: ['quote', request],
    queryFn: ({ signal }) => almanac.exports.quote(request as ExportRequest, { signal }),
    enabled: isRequest(request),
  });
  if (!isRequest(request)) return <p className="body hint">{request.missing}</p>;
  if (quote.isPending)
    return (
      <div className="body">
        <Loading what="the price" rows={4} />
      </div>
    );
  if (quote.isError) return <Failure error={quote.error} onRetry={() => quote.refetch()} />;
  const { data } = quote;
  return (
    <div aria-busy={isStale || quote.isFetching} data-quote={data.grant ?? 'none'}>
      <dl className="body figures">
        <Figure title="Rows" value={count(data.row_count)} />
        <Figure title="Size" value={`≈ ${bytes(data.bytes_estimate)}`} />
        <Figure title="Markets" value={count(data.markets)} />
      </dl>
      <div className="body">
        <Price quote={data} />
        {data.remarks.map((remark) => (
          <p key={remark} className="hint">
            {remark}
          </p>
        ))}
        {data.parts.length > 1 ? <Parts parts={data.parts} /> : null}
        {data.would === null ? <div className="buttons">{children(data)}</div> : <NotCovered would={data.would} />}
      </div>
    </div>
  );
};

const Figure = ({ title, value }: { readonly title: string; readonly value: string }): ReactNode => (
  <div>
    <dt>{title}</dt>
    <dd data-figure={title}>{value}</dd>
  </div>
);

const Price = ({ quote: { grant, cost } }: { readonly quote: ExportQuote }): ReactNode => {
  if (grant !== null) {
    return (
      <p className="price">
        <strong>{cost === null || cost.amount === 0 ? 'Nothing to pay' : money(cost)}</strong>
        <span className="tag" data-tone="good">
          {grants[grant]}
        </span>
      </p>
    );
  }
  return (
    <p className="price">
      <strong>{cost === null ? 'Not covered' : money(cost)}</strong>
      <span className="tag" data-tone="warn">
        not covered yet
      </span>
    </p>
  );
};

const Parts = ({ parts }: { readonly parts: ExportQuote['parts'] }): ReactNode => (
  <details>
    <summary>{counted(parts.length, 'part')}</summary>
    <Table label="Parts of the export" columns={['Part', 'Grant', '#Rows', '#Price']} isCard={false}>
      {parts.map((part) => (
        <tr key={`${part.day ?? ''} ${part.event ?? ''}`}>
          <td>{[part.event, part.day].filter((text) => text !== null).join(' ')}</td>
          <td>{part.grant ?? part.reason ?? 'not covered'}</td>
          <td className="number">{count(part.row_count)}</td>
          <td className="number">{part.cost === null ? '–' : money(part.cost)}</td>
        </tr>
      ))}
    </Table>
  </details>
);

type Would = NonNullable<ExportQuote['would']>;
type Option = Would['options'][number];

/** Why nothing covers it, and the ways to cover it, the cheapest first. */
const NotCovered = ({ would }: { readonly would: Would }): ReactNode => {
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: async (events: readonly string[]) => {
      for (const event of events) await almanac.cart.add(event);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['cart'] }),
  });
  const options = would.options.toSorted((one, other) => one.price.amount - other.price.amount);
  return (
    <section data-would={would.code}>
      <h3>Why it is not covered</h3>
      {/* The last sentence names a field of the answer, which is the list below. */}
      <p>{would.detail.replace(/[^.]*`options`[^.]*\./, '')}</p>
      {options.length === 0 ? null : <h3>The cheapest way first</h3>}
      <ul className="plain-list">
        {options.map((option) => (
          <li key={JSON.stringify(option)} data-option={option.type}>
            <span>
              <strong>{money(option.price)}</strong> {textOf(option)}
            </span>
            {option.type === 'upgrade' ? (
              <Link to="/plan" className="button">
                See the plan
              </Link>
            ) : (
              <button type="button" disabled={add.isPending} onClick={() => add.mutate(eventsOf(option))}>
                Add to the cart
              </button>
            )}
          </li>
        ))}
      </ul>
      {add.isSuccess ? (
        <p role="status" className="notice">
          In the cart. <Link to="/cart">Go to the cart</Link>
        </p>
      ) : null}
      <ActionFault error={add.error} />
    </section>
  );
};

const textOf = (option: Option): string => {
  if (option.type === 'buy_event') return `buys ${option.event} permanently`;
  if (option.type === 'buy_events')
    return `buys ${option.events_n === 1 ? 'the event' : `all ${option.events_n} events`} permanently`;
  return `a month for the plan ${option.tier_id}, which includes it`;
};

const eventsOf = (option: Exclude<Option, { readonly type: 'upgrade' }>): readonly string[] =>
  option.type === 'buy_event' ? [option.event] : option.events.map(({ event }) => event);
