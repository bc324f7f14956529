import {
  exportCreateRequest,
  exportFormatIds,
  exportFormats,
  exportFormatsResponse,
  exportQuote,
  exportResponse,
  exportRpc,
} from '@almanac/contracts';
import { z } from 'zod';
import { sendText } from '../http/reply.js';
import { ended, forwarding, local, type Route } from './route.js';

const exportId = exportRpc.link.input.pick({ export_id: true });

const dryRun = z.object({
  dry_run: z
    .boolean()
    .default(false)
    .meta({ description: 'Only tells what would be granted or cost, and changes nothing', examples: [true] }),
});

const formats: z.output<typeof exportFormatsResponse> = {
  formats: exportFormatIds.map((id) => ({ id, label: exportFormats[id].label, opens_in: exportFormats[id].opens_in })),
};
const formatsText = JSON.stringify(formats);

const eventsExample =
  'event: ready\nid: 1042\ndata: {"id":"48dda3c2-1b8a-4b4e-9e0a-563b09253609","status":"ready",…}\n\n';

/** Files. */
export const exportRoutes: readonly Route[] = [
  local({
    method: 'get',
    path: '/exports/formats',
    doc: {
      operationId: 'listExportFormats',
      tag: 'Exports',
      summary: 'List the file formats',
    },
    given: {},
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
        "The account's own, newest first, whatever became of them. What was answered before, by any key of the account, is among them.",
    },
    given: { query: exportRpc.list.input },
    contract: exportRpc.list,
    input: ({ query }) => query,
  }),
  local({
    method: 'post',
    path: '/exports',
    doc: {
      operationId: 'createExport',
      tag: 'Exports',
      summary: 'Ask for a file',
      description:
        'Answers at once with `pending`; poll the export until it is `ready`, then download it. A failed export gives back what it took. With `dry_run=true` nothing is done: the answer says what would cover it, or what it would cost, and how large it would be.',
    },
    given: { query: dryRun, body: exportCreateRequest },
    success: { json: z.union([exportResponse, exportQuote]) },
    errors: exportRpc.create.errors,
    isIdempotent: true,
    answer: ({ query, body }, exchange, { forward }) => {
      const asked = { exchange, path: '/exports', form: undefined };
      if (query.dry_run) return ended(forward({ ...asked, contract: exportRpc.quote, input: body }));
      const idempotency_key = exchange.request.get('idempotency-key') || undefined;
      return ended(forward({ ...asked, contract: exportRpc.create, input: { ...body, idempotency_key } }));
    },
  }),
  local({
    method: 'get',
    path: '/exports/:export_id',
    doc: {
      operationId: 'getExport',
      tag: 'Exports',
      summary: 'Show an export',
      description: 'A ready one has a signed link that needs no key and lives shortly.',
    },
    given: { path: exportId },
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
        'A pending one becomes `cancelled` and gives back what it took; again, it is answered the same. A file that others wait for is still made.',
    },
    given: { path: exportId },
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
      summary: 'Wait for an export',
      description:
        'Server-sent events in place of polling. `pending`, `ready`, `failed` or `cancelled`: the export as it is now and after each change, with an `id`; `progress`, once a second at most: how far it is. `data` is the export as `GET /exports/{export_id}` shows it. The stream ends after the last event; a client that was cut off comes again with `Last-Event-ID`.',
    },
    given: { path: exportId },
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
      summary: 'Download the file',
      description:
        'The bytes of a ready export, a range of them where `Range` asks for one, never with a `Content-Encoding`.',
    },
    given: { path: exportId },
    success: { files: exportFormatIds.map((id) => exportFormats[id].contentType) },
    errors: [...exportRpc.link.errors, 'range_not_satisfiable'],
    hasEtag: true,
    answer: ({ path }, exchange, { sendFile }) => sendFile(path.export_id, exchange),
  }),
];
