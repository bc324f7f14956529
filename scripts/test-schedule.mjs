// Which test files run at the same time. The order and the limits do not change what a test proves.
import { availableParallelism, cpus, freemem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Tests of the whole system start eight programs, so memory bounds how many run at once. */
const isSystemTest = (file) => /\.e2e\./.test(file) || /-cluster\./.test(file);
/** These measure memory, fill disks, build images or use all cores for minutes, so each runs alone. */
const runsAlone = (file) => /\.(full|long|containers)\./.test(file);

/** With this share of the cores idle, the running tests wait for timers, disks or other programs, and one more may begin. */
const idleEnough = 0.3;
/** A test with ClickHouse and NATS needs half of it. */
const freeBytesMin = 2e9;
const measuredMs = 1_000;

const times = () => {
  const sum = { idle: 0, all: 0 };
  for (const { times: each } of cpus()) {
    sum.idle += each.idle;
    for (const ms of Object.values(each)) sum.all += ms;
  }
  return sum;
};

/** Says once a second at most that cores and memory are idle. */
const watchIdleness = () => {
  let [before, isIdle] = [times(), false];
  const timer = setInterval(() => {
    const after = times();
    isIdle = (after.idle - before.idle) / Math.max(1, after.all - before.all) >= idleEnough && freemem() > freeBytesMin;
    before = after;
  }, measuredMs);
  return {
    take: () => {
      const was = isIdle;
      isIdle = false;
      return was;
    },
    stop: () => clearInterval(timer),
  };
};

/** A group has at most this many files, so that groups take about as long as a system test. */
const groupMax = 10;
const needsServers = (file) => /\.int\./.test(file);

/** Test files of a package, which share a process. Those that need servers come first, because they take longer. */
const groupsOf = (files) => {
  const byPackage = new Map();
  for (const file of files) {
    const name = `${needsServers(file) ? 'a' : 'b'} ${file.split('/').slice(0, 2).join('/')}`;
    byPackage.set(name, [...(byPackage.get(name) ?? []), file]);
  }
  return [...byPackage]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, all]) => {
      const size = Math.ceil(all.length / Math.ceil(all.length / groupMax));
      return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
    });
};

/**
 * Runs all files as groups: one for each core, and up to four times as many while cores are idle. Tests of the whole system
 * are groups of one. They begin first, because they take longest, and at most one for each core runs. In the end, those that
 * need the machine run one by one.
 */
export const runAll = async (files, runFiles) => {
  const cores = Math.min(4, availableParallelism());
  const alone = files.filter(runsAlone);
  const together = files.filter((file) => !runsAlone(file));
  const system = together.filter(isSystemTest).map((file) => [file]);
  const others = groupsOf(together.filter((file) => !isSystemTest(file)));
  const idleness = watchIdleness();
  const running = new Map();
  const begin = (group) =>
    running.set(
      group,
      runFiles(group).finally(() => running.delete(group)),
    );
  const next = () => {
    const systems = [...running.keys()].filter(([file]) => isSystemTest(file)).length;
    return systems < cores && system.length > 0 ? system.shift() : others.shift();
  };
  const mayBegin = () => running.size < cores || (running.size < 4 * cores && idleness.take());
  while (system.length + others.length + running.size > 0) {
    const group = mayBegin() ? next() : undefined;
    if (group !== undefined) begin(group);
    else await Promise.race([...running.values(), delay(measuredMs)]);
  }
  idleness.stop();
  for (const file of alone) await runFiles([file]);
};
