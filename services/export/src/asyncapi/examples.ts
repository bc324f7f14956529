import type { StoredExportEvent } from '@almanac/contracts';

const account = 'bfapvjerrgfq';
const id = '48dda3c2-1b8a-4b4e-9e0a-563b09253609';
const requested_us = 1_775_319_300_250_000;

const requestedFields = {
  query: {
    event: 'KXBTC15M-26FEB242330',
    ticker: null,
    series: 'KXBTC15M',
    day: null,
    streams: ['snapshots' as const, 'settlement' as const],
    format: 'csv' as const,
    numbers: 'decimal' as const,
  },
  grant: 'plan' as const,
  file_key: 'ac0d1a5d9e0d4a5c3a3b8f0a8f4f5e2ad9a3f1e6a1c7d2b4f8e9c0a1b2c3d4e5',
  filename: 'KXBTC15M-26FEB242330_snapshots-settlement.csv',
  requested_us,
};

const file = {
  storage_key: `files/${requestedFields.file_key}/0d6e1a3f-52f8-4b0e-8f61-3b1f4f3a9c11.csv`,
  bytes: 90_103,
  row_count: 450,
  markets: 1,
  sha256: '099616bd7a6c1c5b2d1f6a0a4b0c8f1d3e5a7b9c0d2e4f6a8b1c3d5e7f9a0b2c',
};

const state = { id, account, ...requestedFields };
const envelope = { version: 1 as const, account };
const ready_us = requested_us + 840_000;
const error = 'The file could not be prepared after several attempts. You were not charged. Create the export again.';

/** One event of each type, as a subscriber receives it. */
export const examples: Readonly<{ [Type in StoredExportEvent['type']]: Extract<StoredExportEvent, { type: Type }> }> = {
  ExportRequested: {
    id: '7b0f6f1e-6c0e-4f0e-9a57-0b8c5a1d2e3f',
    type: 'ExportRequested',
    ...envelope,
    time: requested_us,
    data: requestedFields,
    state: { status: 'pending', ...state },
  },
  ExportReady: {
    id: '9d2c4b6a-8e1f-4a3b-8c5d-7e9f0a1b2c3d',
    type: 'ExportReady',
    ...envelope,
    time: ready_us,
    data: { ...file, ready_us },
    state: { status: 'ready', ...state, file, ready_us },
  },
  ExportFailed: {
    id: '1c3e5a7b-9d0f-4e2a-8b4c-6d8e0f1a2b3c',
    type: 'ExportFailed',
    ...envelope,
    time: ready_us,
    data: { error },
    state: { status: 'failed', ...state, error },
  },
  ExportCancelled: {
    id: '2d4f6b8c-0e1a-4f3b-9c5d-7e9f1a2b3c4d',
    type: 'ExportCancelled',
    ...envelope,
    time: ready_us,
    data: {},
    state: { status: 'cancelled', ...state },
  },
  ExportAbandoned: {
    id: '3e5a7c9d-1f2b-4a4c-8d6e-8f0a2b3c4d5e',
    type: 'ExportAbandoned',
    ...envelope,
    time: ready_us,
    data: {},
    state: { status: 'abandoned', id, account },
  },
};
