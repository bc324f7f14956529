import { setTimeout as delay } from 'node:timers/promises';
import type { NextMsgRequest } from '@nats-io/jetstream';
import { isConsumerExists, unlessMissing } from '../bus.js';
import {
  copyUntil,
  existingTargets,
  infoOf,
  isActive,
  managerOf,
  movedFrom,
  type PartitionMove,
  sourceOf,
} from './move-events.js';
import { patterns } from '../names.js';
import { partitionCount, partitionsOf, serverStream, serverSubject } from '../partitions.js';
import { acknowledgedFloor, restorePosition } from '../streams/consumer-positions.js';
import { createStream, descriptionOf, movedTo, partitionSettings } from '../streams/streams.js';

/** A pass over the events that copies the rest of a busy stream may leave this many to the time without appends. */
const behindMax = 1_000;
/** The new sequences start this far above the old ones, for events that arrive during the move. */
const sequencesAhead = 1_000_000;

/**
 * Copies the events while processes append. Everything that a move knows is at the server, so a repeated one continues an
 * earlier one that ended at any moment. Of two at a time, one is refused by the expected sequences.
 */
export const copyToPartitions = async (move: PartitionMove): Promise<void> => {
  if (await isMoved(move)) return;
  await narrowSubjects(move);
  for (const partition of partitionsOf(move.to, move.stream)) await makeTarget(move, partition);
  await copyUntil(move, behindMax);
};

/** Closes the stream to appends, copies the rest, and gives the partitions to processes that have the new number. */
export const switchToPartitions = async (move: PartitionMove): Promise<void> => {
  const { stream, to, print } = move;
  const count = partitionCount(to, stream);
  if (await isMoved(move)) return print(`${stream} has ${count} partitions.`);
  await closeToAppends(move);
  print(`${stream} refuses changes until the services run with NATS_PARTITIONS=${count}.`);
  await copyUntil(move, 0);
  await requireComplete(move);
  for (const durable of move.durables) await moveDurable(move, durable);
  for (const partition of partitionsOf(to, stream)) await activate(move, partition);
  print(`${stream} has ${count} partitions now.`);
};

const isMoved = async (move: PartitionMove): Promise<boolean> => {
  const targets = await existingTargets(move);
  const count = partitionCount(move.to, move.stream);
  return targets.length === count && targets.every(({ config }) => isActive(move, config.description));
};

const movingDescription = (partition: number, count: number): string => `moving: ${descriptionOf(partition, count)}`;

const closedSubject = (stream: string): string => `moved.${stream}`;

/** Makes room for the subjects of partitions: the server refuses streams whose subjects overlap. */
const narrowSubjects = async (move: PartitionMove): Promise<void> => {
  const { config } = await sourceOf(move);
  if (config.sealed || config.subjects.includes(closedSubject(move.stream))) return;
  const prefix = patterns.allOf(move.stream).slice(0, -1);
  const subjects = move.kinds.map((kind) => `${prefix}${kind}`);
  await managerOf(move.from).streams.update(move.stream, { ...config, subjects });
};

const makeTarget = async (move: PartitionMove, partition: number): Promise<void> => {
  const { to, stream } = move;
  const count = partitionCount(to, stream);
  const name = serverStream(to, stream, partition);
  const existing = await infoOf(to, name);
  const description = movingDescription(partition, count);
  if (existing !== undefined) {
    const { description: found = '' } = existing.config;
    if (found === description || found === descriptionOf(partition, count)) return;
    throw new Error(`${name} is "${found}". A move to ${count} partitions cannot continue.`);
  }
  const { state } = await sourceOf(move);
  await createStream(to, {
    ...partitionSettings(to, stream, partition),
    description,
    first_seq: state.last_seq + sequencesAhead,
  });
};

const quietMs = 1_000;
const quietPolls = 10;

/**
 * Takes the subjects away, waits until no append is under way and all replicas are equal, and seals the stream, which no
 * process can undo.
 */
const closeToAppends = async (move: PartitionMove): Promise<void> => {
  const { from, to, stream } = move;
  const { streams } = managerOf(from);
  let { config, state } = await sourceOf(move);
  if (config.sealed) return;
  await streams.update(stream, { ...config, subjects: [closedSubject(stream)] });
  for (let quiet = 0; quiet < quietPolls;) {
    await delay(quietMs / quietPolls);
    const info = await sourceOf(move);
    // The server leaves out a lag of 0.
    const isEqual = (info.cluster?.replicas ?? []).every(({ current, lag }) => current && !lag);
    quiet = isEqual && info.state.last_seq === state.last_seq ? quiet + 1 : 0;
    ({ config, state } = info);
  }
  const description = movedTo(partitionCount(to, stream));
  const sealed = { ...config, subjects: [closedSubject(stream)], description, sealed: true };
  await streams.update(stream, sealed);
};

const requireComplete = async (move: PartitionMove): Promise<void> => {
  const { to, stream } = move;
  const { state } = await sourceOf(move);
  const targets = await existingTargets(move);
  if (targets.some(({ config }) => isActive(move, config.description))) return;
  const copied = targets.reduce((sum, { state: { messages } }) => sum + messages, 0);
  if (copied !== state.messages) throw new Error(`${stream} has ${state.messages} events, but ${copied} were copied.`);
  const lowest = Math.min(...targets.map(({ state: { first_seq } }) => first_seq));
  if (lowest * partitionCount(to, stream) <= state.last_seq)
    throw new Error(`The sequences of the partitions start at ${lowest}, which is not after ${state.last_seq}.`);
};

/** Consumers continue in each partition with the first event that they had not acknowledged, or with later ones before it. */
const moveDurable = async (move: PartitionMove, durable: string): Promise<void> => {
  const { from, to, stream } = move;
  const info = await unlessMissing(managerOf(from).consumers.info(stream, durable));
  if (info === undefined) return;
  for (const partition of partitionsOf(to, stream)) {
    const name = serverStream(to, stream, partition);
    const acknowledged = (await firstMovedAfter(move, partition, acknowledgedFloor(info))) - 1;
    const filter = info.config.filter_subject ?? patterns.allOf(stream);
    const filter_subject = serverSubject(to, { stream, partition, subject: filter });
    await restorePosition(to, {
      stream: name,
      durable,
      acknowledged,
      config: { ...info.config, filter_subject },
    }).catch((error: unknown) => {
      // An earlier run of this move made it, at this position or before.
      if (!isConsumerExists(error)) throw error;
    });
  }
};

/** The first sequence of a partition whose event was after this one of the source. */
const firstMovedAfter = async (move: PartitionMove, partition: number, source: number): Promise<number> => {
  const { to, stream } = move;
  const name = serverStream(to, stream, partition);
  const { state } = await managerOf(to).streams.info(name);
  let [low, high] = [state.first_seq, state.last_seq + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // The client's type for a read at the leader has no `next_by_subj`.
    const request: Required<NextMsgRequest> = { seq: middle, next_by_subj: '>' };
    const message = await managerOf(to).streams.getMessage(name, request);
    if (message === null || movedFrom(message) > source) high = middle;
    else low = message.seq + 1;
  }
  return low;
};

const activate = async ({ to, stream }: PartitionMove, partition: number): Promise<void> => {
  const { streams } = managerOf(to);
  const name = serverStream(to, stream, partition);
  const { first_seq: _unchangeable, ...config } = (await streams.info(name)).config;
  await streams.update(name, { ...config, description: descriptionOf(partition, partitionCount(to, stream)) });
};
