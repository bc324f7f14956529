import type { Market } from '@almanac/client';
import type { ReactNode } from 'react';

const tones: Readonly<Record<string, string>> = { live: 'good', closed: 'warn' };

/** `live`, `closed` or `finalized`, with the outcome if it is known. */
export const Status = ({ status, result }: { readonly status: string | null; readonly result?: string | null }) => {
  if (status === null) return <span className="tag">unknown</span>;
  const hasOutcome = result !== null && result !== undefined && result !== '';
  return (
    <span className="tag" data-tone={tones[status]}>
      {hasOutcome ? (
        <>
          {/* A phone shows the outcome alone. */}
          <span className="tag-word">{`${status} ·`}</span> {result}
        </>
      ) : (
        status
      )}
    </span>
  );
};

const captures: Readonly<Record<string, string>> = { l2: 'Full books', top: 'Best prices' };

/** What is recorded of a market. As of a time, this may have no knowledge time, and is then withheld. */
export const Capture = ({ capture, withheld = [] }: Pick<Market, 'capture' | 'withheld'>): ReactNode => {
  if (capture === null) return <span className="hint">{withheld.includes('capture') ? 'not known then' : '–'}</span>;
  return (
    <span className="tag" data-tone={capture === 'l2' ? 'accent' : undefined}>
      {captures[capture] ?? capture}
    </span>
  );
};
