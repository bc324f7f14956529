import { z } from 'zod';

/** What a notice is about. A code never changes. */
export type NoticeCode =
  | 'unknown_parameter'
  | 'unknown_field'
  | 'unknown_value'
  | 'unknown_id'
  | 'unknown_media_type'
  | 'content_type'
  | 'time_format'
  | 'window_clamped'
  | 'window_empty'
  | 'search_as_of'
  | 'books_not_included'
  | 'search_hint'
  | 'page_not_full'
  | 'completeness_unknown'
  | 'notices_left_out';

/** Something that an answer does not show by itself, such as an ignored parameter. */
export const notice = z
  .object({
    code: z.string().meta({
      description: 'Code of the notice for programs. It never changes',
      examples: ['unknown_parameter'],
    }),
    detail: z.string().meta({
      description: 'What the answer does not show, and what to do, for people',
      examples: ['The query parameter limits does not exist and was ignored. Did you mean limit?'],
    }),
    loc: z
      .array(z.union([z.string(), z.int()]))
      .nullable()
      .meta({
        description:
          'Location in the request: `path`, `query`, `body` or `header`, then the field. Null if the notice is about the answer',
        examples: [['query', 'limits']],
      }),
    nearest: z
      .string()
      .nullable()
      .meta({
        description: 'Nearest name or value that the server knows. Null if none is similar',
        examples: ['limit'],
      }),
  })
  .meta({ id: 'Notice', description: 'A notice about the request or its answer.' });

export interface Notice {
  readonly code: NoticeCode;
  readonly detail: string;
  readonly loc: readonly (string | number)[] | null;
  readonly nearest: string | null;
}

/** The field that any JSON object of an answer may have. */
export const noticed = z
  .object({
    notices: z
      .array(notice)
      .meta({ description: 'What the answer does not show by itself. Absent if there is nothing to say' })
      .optional(),
  })
  .meta({ id: 'Noticed', description: 'Any answer that is a JSON object can have notices.' });
