import { variable } from '@almanac/runtime';
import { z } from 'zod';
import { sentenceOf } from '../../errors.js';
import { isObject } from '../../sources/source.js';
import type { LiveVenue, Venue } from '../venue.js';
import { kalshiCandles } from './kalshi-candles.js';
import { kalshiEvents } from './kalshi-events.js';
import { KalshiFeed } from './kalshi-feed.js';
import { kalshiFrame, venueUsOf } from './kalshi-frames.js';
import { kalshiLists } from './kalshi-lists.js';
import { plainDeltas } from './kalshi-plain.js';
import { kalshiMarkets } from './kalshi-markets.js';
import { openKalshiRecording } from './kalshi-recording.js';
import { isKalshiRecording, isRecordedEvent, recordingOf } from './kalshi-recording-folder.js';
import { kalshiFeeChanges, kalshiSeries } from './kalshi-series.js';
import { readPrivateKey, signedHeaders } from './kalshi-signature.js';
import { kalshiTrades } from './kalshi-trades.js';
import { kalshiFactOf } from './kalshi-ticker.js';

const answerMs = 10_000;
const needed = { error: 'is required for kalshi' };

const live: z.ZodType<LiveVenue> = z
  .object({
    KALSHI_WS_URL: variable.url().default('wss://api.elections.kalshi.com/trade-api/ws/v2'),
    KALSHI_REST_URL: variable.url().default('https://api.elections.kalshi.com/trade-api/v2'),
    KALSHI_KEY_ID: z.string(needed).describe('id of a key of the API'),
    KALSHI_PRIVATE_KEY: z
      .string(needed)
      .transform((pem, context) => {
        try {
          return readPrivateKey(pem);
        } catch (error) {
          context.addIssue({ code: 'custom', message: sentenceOf(error) });
          return z.NEVER;
        }
      })
      .describe('its private key in PEM'),
  })
  .transform(({ KALSHI_WS_URL: url, KALSHI_REST_URL: lists, KALSHI_KEY_ID: id, KALSHI_PRIVATE_KEY: privateKey }) => ({
    connect: (series) => ({
      feed: new KalshiFeed(
        { url, headers: () => signedHeaders({ id, privateKey }, url, Date.now()), heartbeat: 'ping' },
        answerMs,
      ),
      lists: kalshiLists(lists, series),
    }),
  }));

export const kalshi = {
  catalogueFormats: [kalshiSeries, kalshiFeeChanges, kalshiEvents, kalshiMarkets],
  tradeFormats: [kalshiTrades],
  candleFormats: [kalshiCandles],
  frames: {
    is: (json) => isObject(json) && (typeof json['type'] === 'string' || kalshiMarkets.is(json)),
    isMessage: (json) =>
      isObject(json) && typeof json['type'] === 'string' && (isObject(json['msg']) || typeof json['sid'] === 'number'),
    timeOf: (json) => (isObject(json) && isObject(json['msg']) ? venueUsOf(json['msg']) : null),
    reader: () => ({
      name: 'Kalshi frames',
      read: (us, raw, json) => [kalshiFrame(us, raw, json)],
      factOf: kalshiFactOf,
      plain: plainDeltas,
    }),
  },
  recorderFolder: {
    is: isKalshiRecording,
    folderOf: recordingOf,
    isRecord: isRecordedEvent,
    open: openKalshiRecording,
  },
  live,
} satisfies Venue;
