import './docs.css';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { useSession } from '../../api/use-session.js';
import { Page } from '../../layout/page.js';
import { Link } from '../../parts/link.js';
import { Empty } from '../../states/empty.js';
import { Result } from '../../states/result.js';
import { CodeFor } from './code-for.js';
import { groupsOf, type OpenApi, type OperationGroup } from './openapi.js';
import { OperationView } from './operation-view.js';
import { Prose } from './prose.js';

const useDocument = () =>
  useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }): Promise<OpenApi> => {
      const response = await fetch('/openapi.json', { signal });
      if (!response.ok) throw new Error(`The server answers ${response.status} to /openapi.json.`);
      return (await response.json()) as OpenApi;
    },
    staleTime: Infinity,
  });

/** The ids of a settled market, whose data is all stored, or of any other. */
const useExamples = (): Readonly<Record<string, string>> => {
  const session = useSession();
  const asOf = useAsOf();
  const { data } = useQuery({
    queryKey: ['docs-examples', asOf],
    queryFn: async ({ signal }) => {
      const read = (status?: string) =>
        archiveAt(asOf).markets.list({ from_ts: 0, limit: 1, status }, { signal }).firstPage();
      const { markets } = await read('finalized');
      return markets[0] ?? (await read()).markets[0] ?? null;
    },
    enabled: session !== null && session !== undefined,
  });
  return useMemo(
    () =>
      data == null ? {} : { ticker: data.ticker, event_id: data.event_ticker ?? '', series_id: data.series ?? '' },
    [data],
  );
};

/** The reference of the API: its endpoints by group, each with a form that sends it. Also without a session. */
export const Screen = (): ReactNode => {
  const query = useDocument();
  return (
    <Page title="API reference">
      <Result query={query} what="the reference">
        {(document) => <Reference document={document} />}
      </Result>
    </Page>
  );
};

/** The one in the address, also as links to the reference of earlier releases name it: `#/Time%20series/listCandles`. */
const useChosen = (): string | undefined => {
  const [params] = useSearchParams();
  return params.get('operation') ?? /^#\/.*\/(\w+)$/.exec(location.hash)?.[1];
};

const Reference = ({ document }: { readonly document: OpenApi }): ReactNode => {
  const groups = useMemo(() => groupsOf(document), [document]);
  const id = useChosen();
  const operation = groups.flatMap(({ operations }) => operations).find((one) => one.id === id);
  const examples = useExamples();
  return (
    <div className="docs" data-chosen={operation?.id}>
      <Index groups={groups} chosen={operation?.id} />
      {operation === undefined ? (
        <div className="docs-operation">
          {id === undefined ? null : <Empty title="There is no such endpoint">Choose one of the list.</Empty>}
          <div className="docs-prose">
            <Prose text={document.info.description ?? ''} />
          </div>
          <p>
            <a href="/docs/errors">All errors</a> · <a href="/openapi.json">OpenAPI document</a> ·{' '}
            <a href="/llms.txt">Text for language models</a>
          </p>
          <FirstRequest ticker={examples['ticker']} />
        </div>
      ) : (
        <OperationView key={operation.id} document={document} operation={operation} examples={examples} />
      )}
    </div>
  );
};

/** What runs as it is, with a key in the environment. */
const FirstRequest = ({ ticker }: { readonly ticker: string | undefined }): ReactNode => {
  const path = ticker === undefined ? '/markets?limit=3' : `/markets/${encodeURIComponent(ticker)}/candles?points=100`;
  return (
    <section className="card" aria-label="A first request">
      <header>
        <h2>A first request</h2>
        <span className="hint">{ticker === undefined ? 'Three markets' : 'Candles of one market'}</span>
      </header>
      <CodeFor request={{ url: `${location.origin}/api/v1${path}`, method: 'GET', body: undefined }} />
    </section>
  );
};

interface IndexProps {
  readonly groups: readonly OperationGroup[];
  readonly chosen: string | undefined;
}

const Index = ({ groups, chosen }: IndexProps): ReactNode => {
  const [words, setWords] = useState('');
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = groups.map((group) => ({
    ...group,
    operations: group.operations.filter(({ id, method, path, summary }) => {
      const text = `${id} ${method} ${path} ${summary}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    }),
  }));
  return (
    <nav className="docs-index" aria-label="Endpoints">
      {chosen === undefined ? null : (
        <Link to="/docs" className="docs-back">
          ‹ All endpoints
        </Link>
      )}
      <div className="docs-list">
        <input
          type="search"
          aria-label="Filter endpoints"
          placeholder="Filter endpoints"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        {shown.map(({ name, operations }) =>
          operations.length === 0 ? null : (
            <section key={name} aria-label={name}>
              <h2>{name}</h2>
              <ul>
                {operations.map(({ id, method, path, summary }) => (
                  <li key={id}>
                    <Link
                      to={`/docs?operation=${id}`}
                      aria-current={id === chosen ? 'page' : undefined}
                      title={`${method} ${path}`}
                    >
                      <span className="docs-method" data-method={method}>
                        {method}
                      </span>
                      <span>{summary}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ),
        )}
      </div>
    </nav>
  );
};
