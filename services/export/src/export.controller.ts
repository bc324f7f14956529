import { Reply } from '@almanac/bus';
import { Rpc, type RpcContext } from '@almanac/bus/server';
import { asOfMeta, exportRpc, type ExportResponse } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { cancelExport } from './exports/cancel-export.command.js';
import { showDataset } from './datasets/datasets.js';
import { createExport } from './exports/create-export.command.js';
import type { DownloadLink, DownloadLinks } from './exports/download-links.js';
import { listExports, type ListExportsDeps } from './exports/list-exports.query.js';
import { quoteExport, type QuoteExportDeps } from './exports/quote-export.query.js';
import { EXPORT_DEPS, LINKS, LIST_DEPS } from './export-deps.js';

@Controller()
export class ExportController {
  constructor(
    @Inject(EXPORT_DEPS) private readonly deps: QuoteExportDeps,
    @Inject(LINKS) private readonly links: DownloadLinks,
    @Inject(LIST_DEPS) private readonly lists: ListExportsDeps,
  ) {}

  @Rpc(exportRpc.create)
  async create(input: z.output<typeof exportRpc.create.input>, context: RpcContext) {
    return confirmed(await createExport(this.deps, input, context), input);
  }

  @Rpc(exportRpc.quote)
  async quote(input: z.output<typeof exportRpc.quote.input>, context: RpcContext) {
    return confirmed(await quoteExport(this.deps, input, context), input);
  }

  @Rpc(exportRpc.cancel)
  cancel(input: z.output<typeof exportRpc.cancel.input>, context: RpcContext): Promise<ExportResponse> {
    const exportRef = { account: context.caller, exportId: input.export_id };
    return cancelExport(this.deps.store, exportRef, context.remainingMs);
  }

  @Rpc(exportRpc.list)
  async list(input: z.output<typeof exportRpc.list.input>, context: RpcContext) {
    return confirmed(await listExports(this.lists, { ...input, account: context.caller }, context.signal), input);
  }

  @Rpc(exportRpc.dataset)
  async dataset(input: z.output<typeof exportRpc.dataset.input>) {
    return confirmed(await showDataset(this.deps.store, { id: input.dataset_id, asOf: input.as_of }), input);
  }

  @Rpc(exportRpc.link)
  link(input: z.output<typeof exportRpc.link.input>, context: RpcContext): Promise<DownloadLink> {
    return this.links.link({
      account: context.caller,
      exportId: input.export_id,
      public: input.public,
      missing: input.missing,
    });
  }
}

/** Confirms `as_of` to the gateway. An export of a dataset is as of the dataset's time, which is not later. */
const confirmed = <Answer>(answer: Answer, { as_of: asOf }: { readonly as_of?: number | undefined }): Reply<Answer> =>
  Reply.json(answer, asOfMeta(asOf === undefined ? null : asOf * 1e6));
