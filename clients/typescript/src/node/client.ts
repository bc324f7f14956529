import { exportFileOf } from '../exports/file-bytes.js';
import { Almanac } from '../client.js';
import type { AlmanacOptions } from '../http/settings.js';
import type { exportsOf } from '../resources/exports.js';
import { type SavedFile, saveFile, type SaveOptions } from './save-file.js';
import { syncCopy, type SyncOptions, type SyncResult } from './sync/sync.js';

interface NodeExports extends ReturnType<typeof exportsOf> {
  /**
   * Stores the file of a ready export, under its own name if the path is a folder. An interrupted download is continued.
   * The file appears under its name only when it is whole and its SHA-256 is right.
   */
  download(export_id: string, path: string, options?: SaveOptions): Promise<SavedFile>;
}

/** The client for Node, which also stores files. */
export class AlmanacNode extends Almanac {
  declare readonly exports: NodeExports;

  constructor(options: AlmanacOptions = {}) {
    super(options);
    const { transport } = this;
    const shared = this.exports;
    this.exports = {
      ...shared,
      download: async (export_id, path, saveOptions = {}) => {
        const file = exportFileOf(await shared.get(export_id, saveOptions));
        return saveFile(transport, file, path, saveOptions);
      },
    };
  }

  /**
   * Keeps a local copy of the events of these series up to date, or of all, in the layout of the Python client. The next call
   * goes on where this one ended, also after an error. A file is downloaded only if its content has changed.
   */
  sync(folder: string, options: SyncOptions = {}): Promise<SyncResult> {
    const { transport, markets, events, exports } = this;
    return syncCopy({ transport, markets, events, exports }, folder, options);
  }
}
