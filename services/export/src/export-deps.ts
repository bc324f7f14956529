import type { DownloadLinks } from './exports/download-links.query.js';
import type { ListExportsDeps } from './exports/list-exports.query.js';
import type { QuoteExportDeps } from './exports/quote-export.query.js';

/** What the handlers of this service work with. */
export interface ExportDeps extends QuoteExportDeps, ListExportsDeps {
  readonly links: DownloadLinks;
}
