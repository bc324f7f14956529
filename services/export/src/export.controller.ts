import { Reply } from '@almanac/bus';
import type { Handlers } from '@almanac/bus/server';
import { asOfMeta, asOfMicros, type DatasetResponse, type exportRpc, type InputOf } from '@almanac/contracts';
import { croissantOf } from './datasets/croissant.js';
import { dataciteOf } from './datasets/datacite.js';
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
  list: async (input, context) =>
    confirmed(await listExports(deps, { ...input, account: context.caller }, context), input),
  dataset: async (input) => inForm(await showDataset(deps.store, { id: input.dataset_id, asOf: input.as_of }), input),
  link: ({ export_id: exportId, ...options }, { caller: account }) =>
    deps.links.link({ account, exportId, public: options.public, missing: options.missing }),
});

/** A dataset as the API shows it, or as the metadata of a standard. */
const inForm = (dataset: DatasetResponse, input: InputOf<typeof exportRpc.dataset>): Reply<DatasetResponse> => {
  if (input.format === 'json') return confirmed(dataset, input);
  const metadata = input.format === 'croissant' ? croissantOf(dataset) : dataciteOf(dataset);
  return new Reply(Buffer.from(JSON.stringify(metadata)), asOfMetaOf(input));
};

/** Confirms `as_of` to the gateway. An export of a dataset is as of the dataset's time, which is not later. */
const confirmed = <Answer>(answer: Answer, input: AsOf): Reply<Answer> => Reply.json(answer, asOfMetaOf(input));

interface AsOf {
  readonly as_of?: number | undefined;
}

const asOfMetaOf = ({ as_of: asOf }: AsOf) => asOfMeta(asOf === undefined ? null : asOfMicros(asOf));
