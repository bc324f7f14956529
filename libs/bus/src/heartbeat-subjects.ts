import { heartbeatStreams } from './names.js';

/**
 * Read the positions of streams, create the streams of heartbeats, write to them, read their marks, and remove one that is on
 * the same server as another. For the keys service.
 */
export const heartbeatSubjects: readonly string[] = [
  ...['EVT_COMMERCE', 'EVT_ARCHIVE', 'EVT_CATALOG'].map((stream) => `$JS.API.STREAM.INFO.${stream}`),
  ...heartbeatStreams.flatMap(({ name, heartbeat, mark }) => [
    heartbeat,
    mark,
    ...['CREATE', 'UPDATE', 'INFO', 'DELETE'].map((operation) => `$JS.API.STREAM.${operation}.${name}`),
    `$JS.API.DIRECT.GET.${name}`,
  ]),
];
