import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type ExportResponse, exportResponse } from '@almanac/contracts';
import { type ApiClient, poll, post } from './api.js';

/** Requests an export. Throws the answer when it is refused. */
export const createExport = (
  api: ApiClient,
  body: object,
  more: Readonly<Record<string, string>> = {},
): Promise<ExportResponse> => {
  const { headers, ...request } = post(body, randomUUID());
  return api.json(exportResponse, '/exports', { ...request, headers: { ...headers, ...more } });
};

export const showExport = (api: ApiClient, id: string): Promise<ExportResponse> =>
  api.json(exportResponse, `/exports/${id}`);

export const endedExport = (api: ApiClient, id: string): Promise<ExportResponse> =>
  poll(
    () => showExport(api, id),
    ({ status }) => status !== 'pending',
  );

/** Requests an export, and returns it when its file exists. */
export const readyExport = async (api: ApiClient, body: object): Promise<ExportResponse> => {
  const state = await endedExport(api, (await createExport(api, body)).id);
  assert.equal(state.status, 'ready', state.error ?? '');
  return state;
};
