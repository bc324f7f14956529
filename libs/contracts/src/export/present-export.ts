import type { Citation } from './citation.js';
import { datasetIdOf } from './datasets.js';
import type { ExportState, RecordedExport } from './export-events.js';
import { exportFormats } from './export-formats.js';
import type { ExportManifest, ExportQuery, ExportResponse } from './exports.js';
import { secondsOf } from '../requests/numbers.js';

/** What the API shows of an export in addition to its state, if known. */
export interface ExportExtras {
  /** A link that expires after this many seconds. */
  readonly download?: { readonly url: string; readonly expiresInS: number };
  readonly progress?: { readonly rowsDone: number; readonly rows: number };
  readonly manifest?: ExportManifest | null;
  readonly citation?: Citation | null;
}

/** The export as the API shows it. The caller supplies what is not part of the state. */
export const presentExport = (
  state: RecordedExport,
  { download, progress, manifest, citation }: ExportExtras = {},
): ExportResponse => {
  const file = state.status === 'ready' ? state.file : null;
  return {
    id: state.id,
    status: state.status,
    ...presentQuery(state.query),
    group: state.group?.id ?? null,
    remarks: state.remarks ?? [],
    grant: state.grant,
    bytes: file?.bytes ?? 0,
    row_count: file?.row_count ?? null,
    markets: file?.markets ?? null,
    filename: state.filename,
    storage_key: file?.storage_key ?? null,
    download_url: download?.url ?? null,
    expires_in_s: download?.expiresInS ?? 0,
    content_type: exportFormats[state.query.format].contentType,
    error: state.status === 'failed' ? state.error : null,
    sha256: file?.sha256 ?? null,
    ...progressOf(state, progress),
    created_ts: state.requested_us / 1e6,
    ready_ts: state.status === 'ready' ? secondsOf(state.ready_us) : null,
    manifest: file === null ? null : (manifest ?? null),
    dataset_id: file === null ? (state.dataset?.id ?? null) : datasetOf(state, file.sha256),
    citation: file === null ? null : (citation ?? null),
  };
};

/** An export of a dataset is this dataset. Its id can be from a release that made ids in another way. */
export const datasetOf = ({ dataset, query }: RecordedExport, sha256: string): string =>
  dataset?.id ?? datasetIdOf(sha256, query.as_of);

/** A day pack is a range of one day. */
const presentQuery = ({ from, to, events, tickers, ...query }: ExportQuery) => ({
  ...query,
  csv_formulas: query.csv_formulas ?? ('keep' as const),
  from: from ?? query.day,
  to: to ?? query.day,
  events: events ?? null,
  tickers: tickers ?? null,
});

const progressOf = (
  state: ExportState,
  progress: ExportExtras['progress'],
): Pick<ExportResponse, 'rows_done' | 'progress'> => {
  if (state.status === 'ready') return { rows_done: state.file.row_count, progress: 1 };
  if (state.status !== 'pending') return { rows_done: null, progress: null };
  const { rowsDone, rows } = progress ?? { rowsDone: 0, rows: 0 };
  // A market that is being captured can yield more rows than were counted.
  return { rows_done: rowsDone, progress: rows === 0 ? 0 : Math.min(1, rowsDone / rows) };
};
