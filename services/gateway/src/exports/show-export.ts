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
  const link = await links.get(state.id, exchange, true).catch(unlessRestoring);
  if (link === undefined) return presentExport(state);
  const { url, expiresMs, manifest } = link;
  const expiresInS = Math.max(0, Math.floor((expiresMs - Date.now()) / 1_000));
  return presentExport(state, { download: { url, expiresInS }, manifest });
};

const unlessRestoring = (error: unknown): undefined => {
  if (error instanceof DomainError && error.code === 'export_restoring') return undefined;
  throw error;
};
