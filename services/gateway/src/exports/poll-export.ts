import type { Exchange } from '../http/exchange.js';
import { sendJson } from '../http/reply.js';
import type { ExportStates } from './export-states.js';
import type { ShowExport } from './show-export.js';

/** Answers with the state of an export, from memory. */
export const pollExport =
  (states: ExportStates, show: ShowExport) =>
  async (exportId: string, exchange: Exchange): Promise<void> => {
    const { state } = await states.get(exchange.caller.account, exportId);
    sendJson(exchange.response, await show(state, exchange));
  };
