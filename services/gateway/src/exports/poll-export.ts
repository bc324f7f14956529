import { presentExport } from '@almanac/contracts';
import type { Exchange } from '../http/exchange.js';
import { sendJson } from '../http/reply.js';
import type { ExportStates } from './export-states.js';
import type { Links } from './links.js';

/** Answers where an export stands, from memory; a ready one with its signed link. */
export const pollExport =
  (states: ExportStates, links: Links) =>
  async (exportId: string, exchange: Exchange): Promise<void> => {
    const state = await states.get(exchange.caller.account, exportId);
    if (state.status !== 'ready') return sendJson(exchange.response, presentExport(state));
    const { url, expiresMs } = await links.get(state.id, exchange, true);
    const expiresInS = Math.max(0, Math.floor((expiresMs - Date.now()) / 1_000));
    sendJson(exchange.response, presentExport(state, { download: { url, expiresInS } }));
  };
