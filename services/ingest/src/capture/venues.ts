import { ConfigError } from '@almanac/runtime';
import { type FrameReader, frameReaders } from '../sources/frames.js';
import type { CaptureConfig } from './capture-config.js';
import { KalshiFeed } from './kalshi-feed.js';
import { kalshiLists } from './kalshi-lists.js';
import { type KalshiKey, signedHeaders } from './kalshi-signature.js';
import { polymarketFeed } from './polymarket-feed.js';
import { polymarketLists } from './polymarket-lists.js';
import type { VenueFeed, VenueLists } from './venue-feed.js';

/** Everything that differs between venues. */
export interface Venue {
  readonly feed: VenueFeed;
  readonly lists: VenueLists;
  readonly reader: FrameReader;
}

const answerMs = 10_000;

export const venueOf = (config: CaptureConfig): Venue =>
  config.venue === 'kalshi' ? kalshi(config, keyOf(config)) : polymarket(config);

/** A Kalshi configuration has both: `readCaptureConfig` requires them. */
const keyOf = ({ KALSHI_KEY_ID: id, KALSHI_PRIVATE_KEY: privateKey }: CaptureConfig): KalshiKey => {
  if (id === undefined || privateKey === undefined)
    throw new ConfigError('To capture from kalshi, set KALSHI_KEY_ID and KALSHI_PRIVATE_KEY.');
  return { id, privateKey };
};

const kalshi = ({ KALSHI_WS_URL: url, KALSHI_REST_URL: lists, series }: CaptureConfig, key: KalshiKey): Venue => ({
  feed: new KalshiFeed({ url, headers: () => signedHeaders(key, url, Date.now()), heartbeat: 'ping' }, answerMs),
  lists: kalshiLists(lists, series),
  reader: frameReaders.kalshi(),
});

const polymarket = ({ POLYMARKET_WS_URL: url, POLYMARKET_REST_URL: lists, series }: CaptureConfig): Venue => ({
  // From the venue's documentation: PING every 10 seconds, answered with PONG.
  feed: polymarketFeed({ url, headers: () => ({}), heartbeat: { text: 'PING', answer: 'PONG' } }),
  lists: polymarketLists(lists, series),
  reader: frameReaders.polymarket(),
});
