import type { RpcClient } from '@almanac/bus';
import { exportRpc } from '@almanac/contracts';
import { contextOf, type Exchange } from '../http/exchange.js';
import { sendJson } from '../http/reply.js';
import type { ExportStates } from './export-states.js';
import type { ShowExport } from './show-export.js';

export const cancelExport =
  (states: ExportStates, rpc: RpcClient, show: ShowExport) =>
  async (exportId: string, exchange: Exchange): Promise<void> => {
    const { account } = exchange.caller;
    const { id } = (await states.get(account, exportId)).state;
    await rpc.call(exportRpc.cancel, { input: { export_id: id }, context: contextOf(exchange) });
    const { state } = await states.refresh(account, id);
    sendJson(exchange.response, await show(state, exchange));
  };
