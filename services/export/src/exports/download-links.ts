import { subjects } from '@almanac/bus';
import { DomainError, exportFormats, exportState, type ExportState, noSuch } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { isUuid } from '@almanac/runtime';

export interface DownloadLink {
  readonly url: string;
  readonly expires_us: number;
  readonly renew_us: number;
}

export interface LinkRequest {
  readonly account: string;
  readonly exportId: string;
  /** Signed for a client, else for the gateway. */
  readonly public: boolean;
}

const linksMax = 5_000;

/**
 * Signed links to ready exports. A link is given again until half of its life is over, so that a client that polls
 * sees one link and not a new one each time; a ready export never changes, so a kept link needs no look at its state.
 */
export const downloadLinks = (parts: { store: EventStore; objects: ObjectStore; ttlS: number }) => {
  const { store, objects, ttlS } = parts;
  const kept = new Map<string, DownloadLink>();

  const sign = async (request: LinkRequest): Promise<DownloadLink> => {
    const { account, exportId } = request;
    const loaded = isUuid(exportId) ? await store.load(subjects.export(account, exportId), exportState) : undefined;
    const { question, file, filename } = requireReady(loaded?.state, exportId);
    const { contentType } = exportFormats[question.format];
    // A signature is dated in whole seconds.
    const expires_us = (Math.floor(Date.now() / 1_000) + ttlS) * 1e6;
    const link = { expiresInS: ttlS, filename, contentType, public: request.public };
    const renew_us = expires_us - (ttlS * 1e6) / 2;
    return { url: await objects.presignGet(file.storage_key, link), expires_us, renew_us };
  };

  return {
    /** Throws `export_not_found`, `export_preparing`, `export_failed` or `export_cancelled`. */
    link: async (request: LinkRequest): Promise<DownloadLink> => {
      const name = JSON.stringify([request.account, request.exportId, request.public]);
      const known = kept.get(name);
      kept.delete(name);
      const fresh = known !== undefined && known.renew_us > Date.now() * 1_000;
      const link = fresh ? known : await sign(request);
      kept.set(name, link);
      forgetOldest(kept);
      return link;
    },
  };
};

const forgetOldest = (kept: Map<string, DownloadLink>): void => {
  if (kept.size <= linksMax) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
};

export type DownloadLinks = ReturnType<typeof downloadLinks>;

const requireReady = (state: ExportState | undefined, id: string): Extract<ExportState, { status: 'ready' }> => {
  switch (state?.status) {
    case 'ready':
      return state;
    case 'pending':
      throw new DomainError('export_preparing', 'The export is still being prepared. Ask again shortly.');
    case 'failed':
      throw new DomainError('export_failed', state.error);
    case 'cancelled':
      throw new DomainError('export_cancelled', 'The export was cancelled.');
    case 'abandoned':
    case undefined:
      throw noSuch('export_not_found', id);
  }
};
