import type { ExportRequest } from '@almanac/client';

export const targetKinds = ['event', 'market', 'series'] as const;
export const streams = ['snapshots', 'sizes', 'l2', 'trades', 'candles', 'settlement'] as const;
export type Stream = (typeof streams)[number];

/** The fields of the wizard. They are in the address, so that a link and the back button lead to the same form. */
export interface Draft {
  readonly kind: (typeof targetKinds)[number];
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly streams: readonly Stream[];
  readonly format: string;
  readonly numbers: 'decimal' | 'float';
  readonly formulas: 'keep' | 'escape';
  readonly split: boolean;
}

export const draftIn = (params: URLSearchParams): Draft => {
  const kind = params.has('ticker') ? 'market' : params.has('series') ? 'series' : 'event';
  const chosen = params.get('streams')?.split(',');
  return {
    kind,
    id: params.get(parameterOf(kind)) ?? '',
    from: params.get('from') ?? '',
    to: params.get('to') ?? '',
    streams: chosen === undefined ? ['snapshots'] : streams.filter((stream) => chosen.includes(stream)),
    format: params.get('format') ?? 'parquet',
    numbers: params.get('numbers') === 'float' ? 'float' : 'decimal',
    formulas: params.get('formulas') === 'escape' ? 'escape' : 'keep',
    split: params.get('split') === 'day',
  };
};

const parameterOf = (kind: Draft['kind']): string => (kind === 'market' ? 'ticker' : kind);

/** The address of a draft. Other parameters, such as `as_of`, stay. */
export const withDraft = (params: URLSearchParams, draft: Draft): URLSearchParams => {
  const next = new URLSearchParams(params);
  const values = {
    event: undefined,
    ticker: undefined,
    series: undefined,
    [parameterOf(draft.kind)]: draft.id,
    from: draft.kind === 'series' && draft.from !== '' ? draft.from : undefined,
    to: draft.kind === 'series' && draft.to !== '' ? draft.to : undefined,
    streams: draft.streams.join(','),
    format: draft.format,
    numbers: draft.numbers === 'float' ? 'float' : undefined,
    formulas: draft.formulas === 'escape' ? 'escape' : undefined,
    split: draft.split ? 'day' : undefined,
  };
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  return next;
};

/** The body of `POST /exports`, or what is missing for one. */
export const requestOf = (draft: Draft, asOf: number | undefined): ExportRequest | { readonly missing: string } => {
  const id = draft.id.trim();
  if (id === '') return { missing: `Choose the ${draft.kind} to export.` };
  if (draft.streams.length === 0) return { missing: 'Choose at least one stream.' };
  if (draft.kind === 'series' && draft.from === '')
    return { missing: 'A series is exported by days: choose the first day.' };
  return {
    ...targetFields(draft, id),
    streams: [...draft.streams],
    // The server refuses a format that it does not know, with a list of those that it knows.
    format: draft.format as NonNullable<ExportRequest['format']>,
    numbers: draft.numbers,
    ...(draft.format === 'csv' ? { csv_formulas: draft.formulas } : {}),
    ...(asOf === undefined ? {} : { as_of: asOf }),
  };
};

const targetFields = ({ kind, from, to }: Draft, id: string): ExportRequest => {
  if (kind === 'market') return { ticker: id };
  if (kind === 'event') return { event: id };
  return to === '' || to === from ? { series: id, day: from } : { series: id, from, to };
};

export const isRequest = (value: ExportRequest | { readonly missing: string }): value is ExportRequest =>
  !('missing' in value);
