import { heartbeatStreams } from './names.js';

export const stepDownSubject = `$JS.API.STREAM.LEADER.STEPDOWN.${heartbeatStreams[1].name}`;

/**
 * Read the positions of streams, create the streams of heartbeats, write to them, read their marks, and move the leader of
 * the second. For the keys service.
 */
export const heartbeatSubjects: readonly string[] = [
  ...['EVT_COMMERCE', 'EVT_ARCHIVE', 'EVT_CATALOG'].map((stream) => `$JS.API.STREAM.INFO.${stream}`),
  ...heartbeatStreams.flatMap(({ name, heartbeat, mark }) => [
    heartbeat,
    mark,
    ...['CREATE', 'UPDATE', 'INFO'].map((operation) => `$JS.API.STREAM.${operation}.${name}`),
    `$JS.API.DIRECT.GET.${name}`,
  ]),
  stepDownSubject,
];
