import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import {
  DomainError,
  exportFormats,
  type ExportManifest,
  exportState,
  type ExportState,
  fileState,
  noSuch,
} from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { isUuid } from '@almanac/runtime';
import { fileDecider } from '../files/file.decider.js';
import { unpackManifest } from '../files/manifest.js';
import { endExport } from './end-export.js';

interface SignedLink {
  readonly url: string;
  readonly expires_us: number;
  readonly renew_us: number;
}

export interface DownloadLink extends SignedLink {
  readonly manifest: ExportManifest | null;
}

export interface LinkRequest {
  readonly account: string;
  readonly exportId: string;
  /** Signed for a client, else for the gateway. */
  readonly public: boolean;
  /** The link before led to nothing. */
  readonly missing: boolean;
}

type Ready = Extract<ExportState, { status: 'ready' }>;

const linksMax = 5_000;
const appendTimeoutMs = 3_000;
/** A file that became ready just now is there; whether an older one still is, is asked when a link to it is signed. */
const surelyThereUs = 60e6;

/**
 * Signed links to ready exports. A link is given again until half of its life is over, so that a client that polls
 * sees one link and not a new one each time.
 */
export const downloadLinks = (parts: { store: EventStore; objects: ObjectStore; ttlS: number }) => {
  const { store, objects, ttlS } = parts;
  const kept = new Map<string, SignedLink>();

  const sign = async (ready: Ready, request: LinkRequest): Promise<SignedLink> => {
    const { question, file, filename } = ready;
    const { contentType } = exportFormats[question.format];
    // A signature is dated in whole seconds.
    const expires_us = (Math.floor(Date.now() / 1_000) + ttlS) * 1e6;
    const link = { expiresInS: ttlS, filename, contentType, public: request.public };
    const renew_us = expires_us - (ttlS * 1e6) / 2;
    return { url: await objects.presignGet(file.storage_key, link), expires_us, renew_us };
  };

  /** Whether the store says that it has no such object. A store that does not answer says nothing. */
  const isGone = async ({ file, ready_us }: Ready, missing: boolean): Promise<boolean> => {
    if (!missing && Date.now() * 1_000 - ready_us < surelyThereUs) return false;
    try {
      if ((await objects.head(file.storage_key)) !== undefined) return false;
      // Without its bucket nothing is there, and nothing could be prepared either.
      await objects.check();
      return true;
    } catch (cause) {
      if (!missing) return false;
      throw new DomainError('unavailable', 'The file cannot be reached. Try again shortly.', { cause });
    }
  };

  /** The export with the file that stands in place of the one that vanished; throws while there is none. */
  const restored = async (ready: Ready): Promise<Ready> => {
    const waiter = { account: ready.account, export_id: ready.id };
    const outcome = await execute(store, fileDecider(ready.file_key), {
      subject: subjects.file(ready.file_key),
      command: { type: 'vanish', storage_key: ready.file.storage_key, waiter },
      id: randomUUID(),
      account: null,
      time: Date.now() * 1_000,
      timeoutMs: appendTimeoutMs,
    });
    const file = outcome?.state.status === 'ready' ? outcome.state.file : null;
    if (file === null) {
      const more = { retry_after_s: 5 };
      throw new DomainError('export_restoring', 'The file is being prepared again. Try again shortly.', { more });
    }
    await endExport(store, waiter, { type: 'complete', ready: { ...file, ready_us: ready.ready_us } });
    return { ...ready, file };
  };

  const manifestOf = async (fileKey: string): Promise<ExportManifest | null> => {
    const packed = (await store.load(subjects.file(fileKey), fileState))?.state.manifest ?? null;
    return packed === null ? null : unpackManifest(packed);
  };

  return {
    /** Throws `export_not_found`, `export_preparing`, `export_restoring`, `export_failed` or `export_cancelled`. */
    link: async (request: LinkRequest): Promise<DownloadLink> => {
      const { account, exportId, missing } = request;
      const loaded = isUuid(exportId) ? await store.load(subjects.export(account, exportId), exportState) : undefined;
      const known = requireReady(loaded?.state, exportId);
      const keptLink = missing ? undefined : kept.get(nameOf(known, request));
      const isFresh = keptLink !== undefined && keptLink.renew_us > Date.now() * 1_000;
      const ready = !isFresh && (await isGone(known, missing)) ? await restored(known) : known;
      const link = isFresh ? keptLink : await sign(ready, request);
      const name = nameOf(ready, request);
      kept.delete(name);
      kept.set(name, link);
      forgetOldest(kept);
      // The gateway shows it with the link for a client and pipes the other.
      return { ...link, manifest: request.public ? await manifestOf(ready.file_key) : null };
    },
  };
};

const nameOf = ({ account, id, file }: Ready, request: LinkRequest): string =>
  JSON.stringify([account, id, file.storage_key, request.public]);

const forgetOldest = (kept: Map<string, SignedLink>): void => {
  if (kept.size <= linksMax) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
};

export type DownloadLinks = ReturnType<typeof downloadLinks>;

const requireReady = (state: ExportState | undefined, id: string): Ready => {
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
