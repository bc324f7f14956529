import type { ReactNode } from 'react';

interface LoadingProps {
  /** What is loading, for screen readers: `the market`. */
  readonly what: string;
  readonly rows?: number;
}

/** Grey bars in the place of what is coming. */
export const Loading = ({ what, rows = 6 }: LoadingProps): ReactNode => (
  <div className="loading" role="status" aria-label={`Loading ${what}`}>
    {Array.from({ length: rows }, (_, row) => (
      <span key={row} className="bar" aria-hidden="true" />
    ))}
  </div>
);
