import { exportFileOf } from '../exports/file-bytes.js';
import { Almanac } from '../client.js';
import type { AlmanacOptions } from '../http/settings.js';
import type { exportsOf } from '../resources/exports.js';
import { type SavedFile, saveFile, type SaveOptions } from './save-file.js';

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
}
