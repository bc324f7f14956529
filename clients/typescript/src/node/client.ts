import { Almanac } from '../client.js';
import { exportFileOf } from '../exports/file-bytes.js';
import { readyExport } from '../exports/wait.js';
import { type AlmanacOptions, settingsOf } from '../http/settings.js';
import { transportOf } from '../http/transport.js';
import type { exportsOf } from '../resources/exports.js';
import { fileFetch } from './download/file-fetch.js';
import { type SavedFile, type SaveFile, saveFile, type SaveOptions } from './save-file.js';
import { syncCopy, type SyncOptions, type SyncResult } from './sync/sync.js';

interface NodeExports extends ReturnType<typeof exportsOf> {
  /**
   * Stores the file of an export, under its own name if the path is a folder. Makes missing folders, and waits first if the export
   * is not ready yet. An interrupted download is continued. The file appears under its name only when it is whole and its SHA-256
   * is right.
   */
  download(export_id: string, path: string, options?: SaveOptions): Promise<SavedFile>;
}

/** A smaller file is read on a connection that is open already, which a new one would not make faster. */
const largeBytes = 1_048_576;

/** The client for Node, which also stores files. */
export class AlmanacNode extends Almanac {
  declare readonly exports: NodeExports;

  private readonly save: SaveFile;

  constructor(options: AlmanacOptions = {}) {
    super(options);
    const { transport } = this;
    // A fetch of the caller's own gets every request.
    const large = options.fetch === undefined ? transportOf({ ...settingsOf(options), fetch: fileFetch }) : transport;
    this.save = (file, path, saveOptions) =>
      saveFile(file.bytes < largeBytes ? transport : large, file, path, saveOptions);
    this.exports = { ...this.exports, download: (id, path, saveOptions) => this.download(id, path, saveOptions) };
  }

  private async download(id: string, path: string, options: SaveOptions = {}): Promise<SavedFile> {
    const { onProgress: _, overwrite: __, ...call } = options;
    const file = exportFileOf(await readyExport(this.transport, id, call));
    return this.save(file, path, options);
  }

  /**
   * Keeps a local copy of the events of these series up to date, or of all, in the layout of the Python client. The next call
   * goes on where this one ended, also after an error. A file is downloaded only if its content has changed.
   */
  sync(folder: string, options: SyncOptions = {}): Promise<SyncResult> {
    const { markets, events, exports } = this;
    return syncCopy({ save: this.save, markets, events, exports }, folder, options);
  }
}
