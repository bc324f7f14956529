import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.js';
import { Loading } from './loading.js';

interface ResultProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** What is loading, for screen readers. */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}

/** The answer of a query, or the state in its place. Data that was read once stays while it is read again. */
export const Result = <Data,>({ query, what, children }: ResultProps<Data>): ReactNode => {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <Failure error={query.error} onRetry={query.refetch} />;
  return <Loading what={what} />;
};
