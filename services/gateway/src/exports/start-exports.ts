import type { Bus, RpcClient } from '@almanac/bus';
import { exportRpc } from '@almanac/contracts';
import type { Runtime } from '@almanac/runtime';
import type { Authentication } from '../auth/authenticate.js';
import type { EventStreams } from '../http/event-streams.js';
import { contextOf } from '../http/exchange.js';
import { sendJson } from '../http/reply.js';
import type { RouteDeps } from '../cache/route-deps.js';
import { followExports } from './export-states.js';
import { followFileProgress } from './file-progress.js';
import { createLinkCache } from './links.js';
import { sendFile } from './send-file.js';
import { showExport } from './show-export.js';
import { streamExport } from './stream-export.js';

interface ExportsOptions {
  readonly bus: Bus;
  readonly rpc: RpcClient;
  readonly authentication: Authentication;
  readonly streams: EventStreams;
  readonly max: number;
  readonly runtime: Runtime;
}

type ExportRouteDeps = Pick<RouteDeps, 'pollExport' | 'cancelExport' | 'streamExport' | 'sendFile'>;

/** Follows exports and their files, and creates the handlers of export routes. */
export const startExports = async (options: ExportsOptions): Promise<ExportRouteDeps> => {
  const { bus, rpc, authentication, streams, max, runtime } = options;
  const { log, onStop } = runtime;
  const progresses = followFileProgress(bus, log);
  onStop('progress', () => progresses.stop());
  const states = await followExports(bus, {
    max,
    log,
    onChange: (state) => {
      if (state.status === 'ready' || state.status === 'failed') progresses.ended(state.file_key);
    },
  });
  onStop('exports', () => states.stop());
  const links = createLinkCache(rpc);
  const show = showExport(links, progresses);
  return {
    pollExport: async (exportId, exchange) => {
      const { state } = await states.get(exchange.caller, exportId);
      sendJson(exchange.response, await show(state, exchange));
    },
    cancelExport: async (exportId, exchange) => {
      const { caller } = exchange;
      const { id } = (await states.get(caller, exportId)).state;
      await rpc.call(exportRpc.cancel, { input: { export_id: id }, context: contextOf(exchange) });
      const { state } = await states.refresh(caller, id);
      sendJson(exchange.response, await show(state, exchange));
    },
    streamExport: streamExport({ states, progresses, show, streams, authentication, log }),
    sendFile: sendFile(states, links),
  };
};
