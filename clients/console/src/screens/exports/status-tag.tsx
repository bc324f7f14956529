import type { ReactNode } from 'react';

const tones = { pending: 'accent', ready: 'good', failed: 'bad', cancelled: undefined } as const;

export const StatusTag = ({ status }: { readonly status: keyof typeof tones }): ReactNode => (
  <span className="tag" data-tone={tones[status]} data-status={status}>
    {status}
  </span>
);
