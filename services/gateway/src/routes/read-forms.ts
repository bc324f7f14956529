import { isBinaryForm, type SnapshotForm, snapshotForm, snapshotForms } from '@almanac/contracts';
import type { Form } from '../http/content-negotiation.js';

const formOf = (id: SnapshotForm): Form<SnapshotForm> => ({
  id,
  mediaType: snapshotForms[id],
  isText: !isBinaryForm(id),
});

/** The representations of stored data. */
export const forms = [formOf('json'), formOf('csv'), formOf('ndjson'), formOf('parquet'), formOf('arrow')] as const;

/** The parameter that chooses one of them. */
export const format = snapshotForm.optional().meta({
  description: 'Format of the answer. It precedes `Accept`. Without both, the answer is JSON',
  examples: ['csv'],
});
