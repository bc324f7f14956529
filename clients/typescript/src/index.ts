export { Almanac } from './client.js';
export type { AlmanacOptions, AnswerNotice, AnswerText, Session, Wait } from './http/settings.js';
export {
  AlmanacError,
  ApiError,
  type ClientErrorCode,
  ConnectionError,
  type ErrorCode,
  ExportError,
  type FieldError,
  FileError,
} from './errors.js';
export { counted } from './counted.js';
export { inWordsOf, type Wording } from './http/wording.js';
export type { ApiErrorCode } from './generated/error-advice.js';
export type { Pages } from './pages.js';
export { isoSeconds, type Time } from './times.js';
export type { DownloadOptions, Progress } from './exports/file-bytes.js';
export type { WaitOptions } from './exports/wait.js';
export type { CreatedExport, ExportFormats, ExportGroup, ExportRequest, ExportsPage } from './resources/exports.js';
export type { Book, MarketDetail, MarketsAt, MarketsPage, Preview, TradesPage } from './resources/markets.js';
export type {
  CandleBatch,
  CandlesPage,
  ObservationOptions,
  SnapshotsPage,
  WithGaps,
} from './resources/observations.js';
export type {
  Categories,
  EventDetail,
  EventSnapshots,
  SearchPage,
  SeriesDetail,
  SeriesPage,
} from './resources/catalogue.js';
export type { Cart, Checkout, CreatedKey, Dataset, KeysPage, Plan, Portal, Upgrade } from './resources/account.js';
export type { OperatorHistory, OperatorStatus } from './resources/operator.js';
export type {
  QueuedDelivery,
  Webhook,
  WebhookAttempt,
  WebhookDeliveries,
  WebhookList,
  WebhookWithSecret,
} from './resources/webhooks.js';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from './webhooks.js';
export type {
  ApiKey,
  CallOptions,
  Candle,
  Coverage,
  CoverageGap,
  EventItem,
  Export,
  ExportListItem,
  ExportQuote,
  Market,
  MarketQuality,
  Notice,
  PeriodQuality,
  Schemas,
  SearchHit,
  SeriesItem,
  Snapshot,
  Trade,
} from './types.js';
