import { DomainError, type ExportResponse, presentExport, type RecordedExport } from '@almanac/contracts';
import type { Exchange } from '../http/exchange.js';
import type { FileProgresses } from './file-progress.js';
import type { LinkCache } from './links.js';

/**
 * An export as its account sees it: a pending one with progress, a ready one with signed link and manifest, unless
 * its file is being restored.
 */
export type ShowExport = (state: RecordedExport, exchange: Exchange) => Promise<ExportResponse> | ExportResponse;

export const showExport =
  (links: LinkCache, progresses: FileProgresses): ShowExport =>
  (state, exchange) => {
    if (state.status === 'ready') return showReady(state, links, exchange);
    const progress = state.status === 'pending' ? progresses.of(state.file_key) : undefined;
    return presentExport(state, progress && { progress: { rowsDone: progress.rows_done, rows: progress.rows } });
  };

const showReady = async (state: RecordedExport, links: LinkCache, exchange: Exchange): Promise<ExportResponse> => {
  const link = await links.get(state.id, exchange, true).catch(unlessLost);
  if (link === undefined) return presentExport(state);
  const { url, expiresMs, manifest, citation } = link;
  const expiresInS = Math.max(0, Math.floor((expiresMs - Date.now()) / 1_000));
  return presentExport(state, { download: { url, expiresInS }, manifest, citation });
};

/** The file is prepared again, or it is of a dataset whose bytes are lost. */
const noFile: ReadonlySet<string> = new Set(['export_restoring', 'dataset_changed']);

const unlessLost = (error: unknown): undefined => {
  const hasNoFile = error instanceof DomainError && noFile.has(error.code);
  if (hasNoFile) return undefined;
  throw error;
};
