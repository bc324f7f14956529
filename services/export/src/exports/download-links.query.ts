import { subjects } from '@almanac/bus';
import {
  type Citation,
  datasetOf,
  datasetState,
  DomainError,
  exportFormats,
  type ExportManifest,
  exportState,
  type ExportState,
  fileState,
  notFound,
  presentDataset,
} from '@almanac/contracts';
import { type EventStore, loadOrConfirm } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { isUuid, type Logger, unixMicros } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';
import { recordDataset } from '../datasets/datasets.js';
import { unpackManifest } from '../files/manifest.js';
import { recordUse } from '../files/remove-files.js';
import { ensureFile, type ReadyExport } from './ensure-file.js';

interface SignedLink {
  readonly url: string;
  readonly expires_us: number;
  readonly renew_us: number;
}

export interface DownloadLink extends SignedLink {
  readonly manifest: ExportManifest | null;
  readonly citation: Citation | null;
}

export interface LinkRequest {
  readonly account: string;
  readonly exportId: string;
  /** True for a link that a client uses, false for one that the gateway uses. */
  readonly public: boolean;
  /** The previous link led to no object. */
  readonly missing: boolean;
}

interface LinkDeps {
  readonly store: EventStore;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly ttlS: number;
  /** Whether unused files are removed, so that each use must be recorded. */
  readonly recordsUses: boolean;
}

type Content = Pick<DownloadLink, 'manifest' | 'citation'>;

const linksMax = 5_000;

/** Signed links to ready exports, reused for half of their lifetime, so that a polling client sees one link. */
export const downloadLinks = (deps: LinkDeps) => {
  const { store, objects, ttlS } = deps;
  const linkCache = new LRUCache<string, SignedLink>({ max: linksMax });

  const sign = async (ready: ReadyExport, request: LinkRequest): Promise<SignedLink> => {
    const { query, file, filename } = ready;
    const { contentType } = exportFormats[query.format];
    // Signatures are dated in whole seconds.
    const expires_us = (Math.floor(Date.now() / 1_000) + ttlS) * 1e6;
    const link = { expiresInS: ttlS, filename, contentType, public: request.public };
    const renew_us = expires_us - (ttlS * 1e6) / 2;
    return { url: await objects.presignGet(file.storage_key, link), expires_us, renew_us };
  };

  /** A ready export changes no more, so any replica may tell. */
  const stateOf = async (account: string, exportId: string): Promise<ExportState | undefined> => {
    if (!isUuid(exportId)) return undefined;
    const subject = subjects.export(account, exportId);
    const shown = await store.loadToShow(subject, exportState);
    return shown?.state.status === 'ready'
      ? shown.state
      : (await loadOrConfirm(store, { subject, state: exportState }))?.state;
  };

  /** The content of a ready export. A file of a release without datasets becomes a dataset when it is shown. */
  const contentOf = async (ready: ReadyExport): Promise<Content> => {
    const { file_key, file, ready_us } = ready;
    const known = await store.loadToShow(subjects.dataset(datasetOf(ready, file.sha256)), datasetState);
    const dataset = known?.state ?? (await recorded(file_key, { sha256: file.sha256, madeUs: ready_us }));
    if (dataset === null) return { manifest: null, citation: null };
    const manifest = await unpackManifest(dataset.manifest);
    return { manifest, citation: presentDataset(dataset, manifest).citation };
  };

  const recorded = async (key: string, { sha256, madeUs }: { sha256: string; madeUs: number }) => {
    const state = (await store.load(subjects.file(key), fileState))?.state;
    return state?.file?.sha256 === sha256 ? recordDataset(store, state, { madeUs, isNew: true }) : null;
  };

  return {
    /** Throws `export_not_found`, `export_preparing`, `export_restoring`, `export_failed`, `export_cancelled`, `dataset_changed`. */
    link: async (request: LinkRequest): Promise<DownloadLink> => {
      const { account, exportId, missing } = request;
      const known = requireReady(await stateOf(account, exportId), exportId);
      const cachedLink = missing ? undefined : linkCache.get(nameOf(known, request));
      const isFresh = cachedLink !== undefined && cachedLink.renew_us > unixMicros();
      const ready = isFresh ? known : await ensureFile(deps, known, missing);
      if (!isFresh && deps.recordsUses) await recordUse(deps, ready.file_key);
      const link = isFresh ? cachedLink : await sign(ready, request);
      linkCache.set(nameOf(ready, request), link);
      // The gateway shows the manifest next to a public link. For its own link it only pipes the bytes.
      return { ...link, ...(request.public ? await contentOf(ready) : { manifest: null, citation: null }) };
    },
  };
};

const nameOf = ({ account, id, file }: ReadyExport, request: LinkRequest): string =>
  JSON.stringify([account, id, file.storage_key, request.public]);

export type DownloadLinks = ReturnType<typeof downloadLinks>;

const requireReady = (state: ExportState | undefined, id: string): ReadyExport => {
  switch (state?.status) {
    case 'ready':
      return state;
    case 'pending':
      throw new DomainError(
        'export_preparing',
        'The file is not ready yet. Poll the export until its status is `ready`, then download the file.',
      );
    case 'failed':
      throw new DomainError('export_failed', state.error);
    case 'cancelled':
      throw new DomainError('export_cancelled', 'This export was cancelled, so it has no file. Create a new export.');
    case 'abandoned':
    case undefined:
      throw notFound('export_not_found', id);
  }
};
