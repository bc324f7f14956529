import { type DownloadOptions, exportFileOf, fileBytes } from '../exports/file-bytes.js';
import { readyExport, waitForExport, type WaitOptions } from '../exports/wait.js';
import { streamOf } from '../http/streams.js';
import type { Transport } from '../http/transport.js';
import { nextOf, type Pages, pagesOf } from '../pages.js';
import type { AnswerOf, BodyOf, CallOptions, Export, ExportListItem, ExportQuote, QueryOf, Schemas } from '../types.js';

export type ExportsPage = AnswerOf<'listExports'>;
export type ExportFormats = AnswerOf<'listExportFormats'>;
export type ExportGroup = Schemas['ExportGroup'];
/** What to export: exactly one target, and the form of its file. */
export type ExportRequest = Partial<Omit<BodyOf<'createExport'>, 'split'>>;

/** A call that was sent, and what usually follows it. */
export interface CreatedExport extends Promise<Export> {
  /** Waits until the file is ready, and resolves with the ready export. */
  wait(options?: WaitOptions): Promise<Export>;
}

export const exportsOf = (transport: Transport) => {
  const get = (export_id: string, options?: CallOptions): Promise<Export> =>
    transport.json({ operation: 'getExport', path: { export_id } }, options);
  const post = <T>(body: object, query: object, options?: CallOptions): Promise<T> =>
    transport.json({ operation: 'createExport', body, query }, options);
  return {
    /** The formats of files, and what opens them. */
    formats: (options?: CallOptions): Promise<ExportFormats> =>
      transport.json({ operation: 'listExportFormats' }, options, 'formats'),
    /** What an export would cost and contain. It changes nothing. */
    quote: (body: ExportRequest, options?: CallOptions): Promise<ExportQuote> => post(body, { dry_run: true }, options),
    /**
     * Requests an export. `create(…).wait()` also waits for its file. A free credit is only spent with `use_free_credit: true`. `quote` says what
     * would pay.
     */
    create: (body: ExportRequest, options?: CallOptions): CreatedExport => {
      const created = post<Export>({ use_free_credit: false, ...body }, {}, options);
      const wait = async (waitOptions?: WaitOptions): Promise<Export> =>
        waitForExport(transport, (await created).id, waitOptions);
      return Object.assign(created, { wait });
    },
    /** Requests one export for each day of a range. */
    createDays: (body: ExportRequest, options?: CallOptions): Promise<ExportGroup> =>
      post({ ...body, split: 'day' }, {}, options),
    /** The exports of the account, newest first. */
    list: (params: QueryOf<'listExports'> = {}, options?: CallOptions): Pages<ExportListItem, ExportsPage> =>
      pagesOf<ExportListItem, ExportsPage, string>(async (cursor = params.cursor) => {
        const request = { operation: 'listExports', query: { ...params, cursor } } as const;
        const answer = await transport.json<ExportsPage>(request, options, 'exports');
        return { answer, items: answer.exports, next: nextOf(answer.has_more, answer.next_cursor) };
      }),
    /** An export: its state, and its download link when it is ready. */
    get,
    /** Waits until the file of an export is ready. Throws if it fails or is cancelled. */
    wait: (export_id: string, options?: WaitOptions): Promise<Export> => waitForExport(transport, export_id, options),
    /** Cancels a pending export, which gives back what it used. */
    cancel: (export_id: string, options?: CallOptions): Promise<Export> =>
      transport.json({ operation: 'cancelExport', path: { export_id } }, options),
    /**
     * The bytes of an export. Waits first if it is not ready yet. A lost connection is continued. The stream ends with an error if the bytes are not
     * those of the export: use nothing of it before its end.
     */
    stream: (export_id: string, options: DownloadOptions = {}): ReadableStream<Uint8Array> =>
      streamOf(async function* () {
        const { onProgress: _, ...call } = options;
        const file = exportFileOf(await readyExport(transport, export_id, call));
        yield* fileBytes({ transport, file, options });
      }),
  };
};
