import {
  exportCreateRequest,
  exportFormatIds,
  exportFormats,
  type exportFormatsResponse,
  exportRpc,
} from '@almanac/contracts';
import { z } from 'zod';
import { sendText } from '../http/reply.js';
import { forwarding, local, type Route } from './route.js';

const exportId = z.object({ export_id: z.string() });

const formats: z.output<typeof exportFormatsResponse> = {
  formats: exportFormatIds.map((id) => ({ id, label: exportFormats[id].label, opens_in: exportFormats[id].opens_in })),
};
const formatsText = JSON.stringify(formats);

/** Files. */
export const exportRoutes: readonly Route[] = [
  local({
    method: 'get',
    path: '/exports/formats',
    given: {},
    answer: (_given, { response }) => sendText(response, formatsText),
  }),
  forwarding({
    method: 'post',
    path: '/exports',
    given: { body: exportCreateRequest.extend({ day: z.iso.date().nullish() }) },
    contract: exportRpc.create,
    input: ({ body }, { idempotencyKey }) => ({ ...body, idempotency_key: idempotencyKey }),
  }),
  local({
    method: 'get',
    path: '/exports/:export_id',
    given: { path: exportId },
    answer: ({ path }, exchange, { pollExport }) => pollExport(path.export_id, exchange),
  }),
  local({
    method: 'get',
    path: '/exports/:export_id/file',
    given: { path: exportId },
    answer: ({ path }, exchange, { sendFile }) => sendFile(path.export_id, exchange),
  }),
];
