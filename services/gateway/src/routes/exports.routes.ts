import { randomUUID } from 'node:crypto';
import {
  type DatasetForm,
  datasetForm,
  datasetForms as formsOfDatasets,
  exportGroup,
  exportCreateRequest,
  exportFormatIds,
  type ExportFormatId,
  exportFormats,
  exportFormatsResponse,
  engineFormatIds,
  tableFormatIds,
  exportQuote,
  exportResponse,
  exportRpc,
} from '@almanac/contracts';
import { z } from 'zod';
import { checkDays, checkOptions } from '../exports/check-export.js';
import type { Form } from '../http/content-negotiation.js';
import { sendText } from '../http/reply.js';
import { completion, forwarding, local, type Route } from './route.js';

const exportId = exportRpc.link.input.pick({ export_id: true });
const datasetId = exportRpc.dataset.input.pick({ dataset_id: true });
const datasetForms = [
  { id: 'json', mediaType: formsOfDatasets.json, isText: true },
  { id: 'croissant', mediaType: formsOfDatasets.croissant, isText: true },
  { id: 'datacite', mediaType: formsOfDatasets.datacite, isText: true },
] as const satisfies readonly Form<DatasetForm>[];
const datasetQuery = exportRpc.dataset.input.pick({ as_of: true }).extend({
  format: datasetForm.optional().meta({
    description:
      'Form of the answer: `json`, or the metadata of a standard, `croissant` (MLCommons Croissant 1.0) or `datacite` (DataCite 4.5). It precedes `Accept`. Without both, the answer is JSON',
    examples: ['croissant'],
  }),
});

const dryRun = z.object({
  dry_run: z
    .boolean()
    .default(false)
    .meta({ description: 'Return what the export would cost, without creating it', examples: [true] }),
});

const shownFormat = <Id extends ExportFormatId>(id: Id) => ({
  id,
  label: exportFormats[id].label,
  opens_in: exportFormats[id].opens_in,
});
const formats: z.output<typeof exportFormatsResponse> = {
  formats: tableFormatIds.map(shownFormat),
  engine_formats: engineFormatIds.map(shownFormat),
};
const formatsText = JSON.stringify(formats);

const eventsExample =
  'event: ready\nid: 1042\ndata: {"id":"48dda3c2-1b8a-4b4e-9e0a-563b09253609","status":"ready",…}\n\n';

export const exportRoutes: readonly Route[] = [
  local({
    method: 'get',
    path: '/exports/formats',
    doc: {
      operationId: 'listExportFormats',
      tag: 'Exports',
      summary: 'List file formats',
      description: 'The answer is the same for every account.',
    },
    given: {},
    limitsToFence: true,
    success: { json: exportFormatsResponse },
    answer: (_given, { response }) => sendText(response, formatsText),
  }),
  forwarding({
    method: 'get',
    path: '/exports',
    doc: {
      operationId: 'listExports',
      tag: 'Exports',
      summary: 'List exports',
      description:
        'Returns the exports of the account, newest first, with every status. An export is in the list as soon as any API key of the account has created it. A key with `as_of` gets the exports as of its time or earlier.',
    },
    given: { query: exportRpc.list.input },
    contract: exportRpc.list,
    input: ({ query }) => query,
  }),
  local({
    method: 'post',
    path: '/exports',
    costs: true,
    doc: {
      operationId: 'createExport',
      tag: 'Exports',
      summary: 'Create an export',
      description:
        'Returns at once with status `pending`. Poll the export until its status is `ready`, then download the file. A failed export gives back the credit and the quota that it used. With `dry_run=true`, the server creates nothing and returns the price and the estimated size.\n\nA range of days (`from`, `to`) or a list (`events`, `tickers`) is one export with one file. With `split: day`, each day is an export of its own. The answer is then an `ExportGroup`: all of its exports are created, or none. It counts as one pending export.\n\nWith `dataset`, the export has exactly the bytes of that dataset, and everything else about it is like any export: your plan or an unlock must cover it. If the bytes cannot be had any more, the answer is 409 `dataset_changed`, which names what changed.',
    },
    given: { query: dryRun, body: exportCreateRequest },
    success: { json: z.union([exportResponse, exportGroup, exportQuote]) },
    errors: exportRpc.create.errors,
    isIdempotent: true,
    together: checkOptions,
    answer: ({ query, body }, exchange, { forward }) => {
      checkDays(body);
      const callBase = { exchange, path: '/exports', form: undefined };
      if (query.dry_run) return completion(forward({ ...callBase, contract: exportRpc.quote, input: body }));
      // With a key of its own, a request that is lost with a server of NATS is sent again.
      const idempotency_key = exchange.request.get('idempotency-key') || randomUUID();
      return completion(forward({ ...callBase, contract: exportRpc.create, input: { ...body, idempotency_key } }));
    },
  }),
  local({
    method: 'get',
    path: '/exports/:export_id',
    doc: {
      operationId: 'getExport',
      tag: 'Exports',
      summary: 'Get an export',
      description: 'Returns the export. A ready export has a short-lived signed URL that needs no API key.',
    },
    given: { path: exportId },
    limitsToFence: true,
    success: { json: exportResponse },
    errors: ['export_not_found'],
    answer: ({ path }, exchange, { pollExport }) => pollExport(path.export_id, exchange),
  }),
  local({
    method: 'delete',
    path: '/exports/:export_id',
    doc: {
      operationId: 'cancelExport',
      tag: 'Exports',
      summary: 'Cancel an export',
      description:
        'Cancels a pending export and gives back the credit and the quota that it used. Cancelling it again returns the same answer.',
    },
    given: { path: exportId },
    limitsToFence: true,
    success: { json: exportResponse },
    errors: exportRpc.cancel.errors,
    answer: ({ path }, exchange, { cancelExport }) => cancelExport(path.export_id, exchange),
  }),
  local({
    method: 'get',
    path: '/exports/:export_id/events',
    doc: {
      operationId: 'streamExport',
      tag: 'Exports',
      summary: 'Stream export events',
      description:
        'Streams server-sent events, as an alternative to polling. The events `pending`, `ready`, `failed` and `cancelled` have an `id`: the first event shows the current status, and each change sends another. The event `progress` comes at most once per second. `data` is the export as `GET /exports/{export_id}` returns it. The stream ends after the last event. To resume after a lost connection, send `Last-Event-ID`.',
    },
    given: { path: exportId },
    limitsToFence: true,
    success: { events: eventsExample },
    errors: ['export_not_found', 'too_many_streams'],
    answer: ({ path }, exchange, { streamExport }) => streamExport(path.export_id, exchange),
  }),
  local({
    method: 'get',
    path: '/exports/:export_id/file',
    doc: {
      operationId: 'downloadExport',
      tag: 'Exports',
      summary: 'Download an export',
      description:
        'Returns the file of a ready export, or the bytes in the `Range` header. The file is never sent with a `Content-Encoding`.',
    },
    given: { path: exportId },
    limitsToFence: true,
    success: { files: exportFormatIds.map((id) => exportFormats[id].contentType) },
    errors: [...exportRpc.link.errors, 'range_not_satisfiable'],
    hasEtag: true,
    answer: ({ path }, exchange, { sendFile }) => sendFile(path.export_id, exchange),
  }),
  forwarding({
    method: 'get',
    path: '/datasets/:dataset_id',
    doc: {
      operationId: 'getDataset',
      tag: 'Exports',
      summary: 'Get a dataset',
      description:
        'Returns what the file of a ready export contains, and how to cite it: target and options, the data version of each market, known gaps, schema and hash. Any API key can read any dataset by its id, so that readers of a paper can resolve a citation. The answer never shows who made the file or what paid for it. To get the file itself, send `POST /exports` with `dataset`.\n\nA dataset never changes, also if the data of its markets does.\n\nWith `format=croissant`, the answer is JSON-LD for catalogues and loaders of data sets, with the SHA-256 of the file and the columns of CSV and Parquet. A loader finds the file beside it, under the name in `contentUrl`. With `format=datacite`, it is what a repository needs to register the file.',
    },
    given: { path: datasetId, query: datasetQuery },
    contract: exportRpc.dataset,
    forms: [...datasetForms],
    input: ({ path, query }, { form }) => ({ ...path, ...query, format: form }),
  }),
];
