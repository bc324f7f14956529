import { z } from 'zod';
import { exportResponse } from './exports.js';

/** The answer to POST /exports with `split: day`. */
export const exportGroup = z
  .object({
    group: z.string().meta({ description: 'Id of the request. `GET /exports?group=` lists its exports' }),
    count: z
      .int()
      .min(0)
      .meta({ description: 'Number of exports', examples: [2] }),
    exports: z.array(exportResponse).meta({ description: 'One export for each day with data, by day' }),
    remarks: exportResponse.shape.remarks,
  })
  .meta({ id: 'ExportGroup', description: 'The exports of one request.' });
export type ExportGroup = z.infer<typeof exportGroup>;
