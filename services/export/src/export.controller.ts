import { Reply } from '@almanac/bus';
import type { Handlers } from '@almanac/bus/server';
import { asOfMeta, asOfMicros, type exportRpc } from '@almanac/contracts';
import { showDataset } from './datasets/show-dataset.query.js';
import type { ExportDeps } from './export-deps.js';
import { cancelExport } from './exports/cancel-export.command.js';
import { createExport } from './exports/create-export.command.js';
import { listExports } from './exports/list-exports.query.js';
import { quoteExport } from './exports/quote-export.query.js';

export const exportController = (deps: ExportDeps): Handlers<typeof exportRpc> => ({
  create: async (input, context) => confirmed(await createExport(deps, input, context), input),
  quote: async (input, context) => confirmed(await quoteExport(deps, input, context), input),
  cancel: ({ export_id: exportId }, { caller: account, remainingMs }) =>
    cancelExport(deps.store, { account, exportId }, remainingMs),
  list: async (input, { caller: account, signal }) =>
    confirmed(await listExports(deps, { ...input, account }, signal), input),
  dataset: async (input) =>
    confirmed(await showDataset(deps.store, { id: input.dataset_id, asOf: input.as_of }), input),
  link: ({ export_id: exportId, ...options }, { caller: account }) =>
    deps.links.link({ account, exportId, public: options.public, missing: options.missing }),
});

/** Confirms `as_of` to the gateway. An export of a dataset is as of the dataset's time, which is not later. */
const confirmed = <Answer>(answer: Answer, { as_of: asOf }: { readonly as_of?: number | undefined }): Reply<Answer> =>
  Reply.json(answer, asOfMeta(asOf === undefined ? null : asOfMicros(asOf)));
