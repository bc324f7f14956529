import { join } from 'node:path';
import { busOptions, connectBus, rpcClient } from '@almanac/bus';
import type { Runtime } from '@almanac/runtime';
import { BookIntake } from '../books/book-intake.js';
import { busArchive } from '../bus-archive.js';
import { ImportError, sentenceOf } from '../errors.js';
import { Capture, type CaptureEvent } from './capture.js';
import type { CaptureConfig } from './capture-config.js';
import { captureContext } from './capture-context.js';
import { receivedClock } from './clock.js';
import { killedCapture } from './previous-capture.js';
import { captureMetrics } from './metrics.js';
import { BufferedArchive } from './buffered-archive.js';
import { deliveryQueue, type DeliveryQueue } from './delivery-queue.js';
import { Recording } from './recording.js';
import { sessionTimes } from './session.js';
import { venues } from '../venues/venues.js';

const megabyte = 1_000_000;
const partMs = 3_600_000;
const recordingWaitingBytesMax = 64 * megabyte;
/** Limit of one attempt to store. Then the delivery queue reports that it waits, and retries. */
const retryTimeoutMs = 15_000;
const lineEveryMs = 60_000;
/** Together less than the 10 s that a process has to stop. */
const storeWithinMs = 6_000;
const recordWithinMs = 2_000;

/** Captures until the process stops. At the stop it takes no more frames, then stores and records what waits. */
export const runCapture = async (config: CaptureConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectedBus(config);
  onStop('bus', () => bus.close());
  const queue = deliveryQueue({
    bytesMax: config.CAPTURE_WAITING_MB * megabyte,
    onWaiting: (why) => log.warn({ why, waiting_bytes: queue.waitingBytes() }, 'waiting for the archive'),
  });
  const archive = new BufferedArchive(busArchive(rpcClient(bus), { retryTimeoutMs }), queue, (what, why) =>
    log.error({ what, why }, 'the archive refused data'),
  );
  const folder = recordingFolder(config, new Date());
  const killed = await killedCapture(config.folder, `${config.venue}-${config.series}`);
  if (killed !== null)
    log.warn({ folder: killed }, 'the previous capture was killed; import its folder to store the rest');
  const recording = await Recording.open({
    folder,
    partBytes: config.CAPTURE_PART_MB * megabyte,
    partMs,
    waitingBytesMax: recordingWaitingBytesMax,
    onFault: (err) => log.error({ err, folder }, 'the recording cannot be written'),
  });
  const context = captureContext({
    archive,
    name: folder,
    onRefused: (reason, text) =>
      log.warn({ reason, text }, 'a message was refused; further messages with this reason are only counted'),
  });
  const reader = venues[config.venue].frames.reader();
  const capture = new Capture({
    ...config.connect(config.series),
    reader,
    recording,
    intake: (onSpan) => new BookIntake({ context, intervalUs: config.intervalUs, factOf: reader.factOf, onSpan }),
    nowUs: receivedClock(),
    times: sessionTimes,
    listEveryMs: config.CAPTURE_LIST_MS,
    storeEveryMs: config.CAPTURE_STORE_MS,
    onEvent: (event) => logEvent(log, event),
  });
  const figures = () => ({
    ...capture.counts(),
    rows: context.report.observationsRead,
    trades: context.report.tradesRead,
    waiting_bytes: queue.waitingBytes(),
  });
  captureMetrics(runtime.health.metrics, figures);
  const lines = setInterval(() => {
    const refused = Object.fromEntries(context.report.refused);
    log.info({ ...figures(), recorded_bytes: recording.bytes(), refused }, 'captured');
  }, lineEveryMs);
  onStop('capture', async () => {
    clearInterval(lines);
    await capture.stop();
    await endAll({ queue, recording, folder, log });
    log.info(figures(), 'the capture ended');
  });
  log.info({ folder, venue: config.venue, series: config.series }, 'capturing');
};

const connectedBus = async (config: CaptureConfig): ReturnType<typeof connectBus> => {
  try {
    return await connectBus({ ...busOptions(config), connectTimeoutMs: 5_000 });
  } catch (cause) {
    const why = `Cannot connect to the archive at ${config.NATS_URL} (${sentenceOf(cause)}). Start the system with npm start.`;
    throw new ImportError(why, { cause });
  }
};

/** `kalshi-KXBTC15M-20261121T181500Z` */
const recordingFolder = ({ folder, venue, series }: CaptureConfig, startedAt: Date): string =>
  join(folder, `${venue}-${series}-${startedAt.toISOString().replace(/[-:]|\.\d+/g, '')}`);

const endAll = async ({ queue, recording, folder, log }: ShutdownDeps): Promise<void> => {
  const [isStored, isRecorded] = await Promise.all([queue.end(storeWithinMs), recording.close(recordWithinMs)]);
  if (!isStored)
    log.error({ folder, waiting_bytes: queue.waitingBytes() }, 'not everything is stored; import the folder');
  if (!isRecorded) log.error({ folder }, 'the end of the recording was not written to disk');
};

interface ShutdownDeps {
  readonly queue: DeliveryQueue;
  readonly recording: Recording;
  readonly folder: string;
  readonly log: Runtime['log'];
}

const logEvent = (log: Runtime['log'], event: CaptureEvent): void => {
  if (event.kind === 'connected') log.info('connected to the venue');
  else if (event.kind === 'lost') log.warn({ reason: event.reason }, 'the connection was lost');
  else if (event.kind === 'retry')
    log.info({ reason: event.reason, pause_ms: Math.round(event.pauseMs) }, 'reconnecting');
  else if (event.kind === 'market')
    log.info({ ticker: event.market.ticker, settled: event.market.isSettled }, 'market');
  else log.warn({ err: event.error }, 'the venue did not list its markets');
};
