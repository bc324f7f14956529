import { join } from 'node:path';
import { busOptions, connectBus, rpcClient, TlsError } from '@almanac/bus';
import type { StagingMissing } from '@almanac/contracts';
import { ConfigError } from '@almanac/runtime';
import { type Archive, dryRunArchive, dryRunStaging } from './archive.js';
import { callerFolder, type ImportArguments, parseArguments, usage } from './arguments.js';
import { busArchive, missingStaging } from './bus-archive.js';
import { homeFolder, readConfig } from './config.js';
import { ImportError, sentenceOf } from './errors.js';
import { explain } from './explain/explain.js';
import { isMapping } from './import/files/detect-format.js';
import { mappedLine, reportLines, totalLines } from './import/report/report-lines.js';
import { importSummary } from './import/report/summary.js';
import { stillWaiting } from './import/files/waiting-lines.js';
import { verdictLines, verdictOf } from './import/report/verdict.js';
import { runImport } from './import/run-import.js';
import { listedPlaces } from './places/place-list.js';
import type { PlacesOptions } from './places/places.js';
import { loadBuiltInMappings, loadMapping } from './mapping/load-mapping.js';
import { type ProgressView, progressView } from './progress.js';

/** The command `npm run import`. Exits with 0 if every file was read completely and stored, otherwise with 1. */
const main = async (environment: NodeJS.ProcessEnv, given: readonly string[]): Promise<number> => {
  const args = parseArguments(given, callerFolder(environment));
  if (!args) {
    console.log(usage);
    return 0;
  }
  const folder = callerFolder(environment);
  const paths = args.from === null ? args.paths : [...args.paths, ...(await listedPlaces(args.from, folder))];
  const mappings = args.mapping === null ? await loadBuiltInMappings() : await loadMapping(args.mapping);
  const progress = progressView(process.stderr, () => performance.now());
  const places: PlacesOptions = {
    environment,
    allowedHosts: args.allowedHosts,
    onWaiting: (sentence) => progress.printLine(sentence),
  };
  if (args.explain) {
    let exitCode = 0;
    for await (const line of explain(paths, mappings, {
      ...places,
      onUnreadable: () => (exitCode = 1),
      missingStaging: () => missingOfSystem(environment),
    })) {
      progress.clear();
      console.log(line);
    }
    return exitCode;
  }
  const archive = args.dryRun
    ? { archive: { ...dryRunArchive, openStaging: dryRunStaging }, address: null, close: () => Promise.resolve() }
    : await connected(environment, progress);
  try {
    return await importAll({ ...args, paths }, { environment, mappings, ...archive, progress, places });
  } finally {
    await archive.close();
  }
};

/** Whether the running system has staging tables. Null without a system, which `--explain` does not need. */
const missingOfSystem = async (environment: NodeJS.ProcessEnv): Promise<StagingMissing | null> => {
  try {
    const bus = await connectBus({ ...busOptions(await readConfig(environment)), connectTimeoutMs: 2_000 });
    try {
      return await missingStaging(rpcClient(bus));
    } finally {
      await bus.close();
    }
  } catch {
    return null;
  }
};

const connected = async (
  environment: NodeJS.ProcessEnv,
  progress: ProgressView,
): Promise<{ archive: Archive; address: string; close: () => Promise<void> }> => {
  const config = await readConfig(environment);
  try {
    const bus = await connectBus({ ...busOptions(config), connectTimeoutMs: 5_000 });
    return {
      archive: busArchive(rpcClient(bus), { onWaiting: (sentence) => progress.printLine(sentence) }),
      address: config.NATS_URL,
      close: () => bus.close(),
    };
  } catch (cause) {
    const why = sentenceOf(cause);
    if (cause instanceof TlsError) throw new ImportError(`The archive at ${config.NATS_URL}: ${why}.`, { cause });
    throw new ImportError(
      `Cannot connect to the archive at ${config.NATS_URL} (${why}). Start the system with npm start. ` +
        'To check files without a system, add --dry-run.',
      { cause },
    );
  }
};

const importAll = async (
  args: ImportArguments,
  using: {
    environment: NodeJS.ProcessEnv;
    mappings: Awaited<ReturnType<typeof loadBuiltInMappings | typeof loadMapping>>;
    archive: Archive;
    /** Null if nothing is stored. */
    address: string | null;
    progress: ProgressView;
    places: PlacesOptions;
  },
): Promise<number> => {
  const { progress } = using;
  const { reports, aborted } = await runImport(args.paths, {
    archive: using.archive,
    mappings: using.mappings,
    mappingFile: args.mapping,
    isDryRun: args.dryRun,
    refusedFolder: join(homeFolder(using.environment), 'import'),
    startedAt: new Date(),
    sampleUs: args.sampleUs,
    exact: args.exact,
    places: using.places,
    ...(using.address !== null && { unchanged: { archive: using.address, again: args.again } }),
    ...(args.sequence && { sequence: args.sequence }),
    onProgress: (state) => progress.show(state),
    onLine: (line) => {
      progress.clear();
      (args.json ? console.error : console.log)(line);
    },
    onFile: (report) => {
      progress.clear();
      if (args.json) return;
      for (const line of reportLines(report, args.dryRun)) console.log(line);
    },
  });
  progress.clear();
  if (args.json) console.log(JSON.stringify(importSummary({ reports, aborted }, args.dryRun), null, 2));
  else if (isMapping(using.mappings)) console.log(mappedLine(reports, using.mappings.name));
  if (!args.json) for (const line of totalLines(reports, args.dryRun)) console.log(line);
  if (aborted !== null) console.error(`The import stopped early: ${aborted}`);
  const isUsed =
    args.mapping === null || reports.some((report) => report.mapping !== null || report.unchangedSince !== null);
  if (!isUsed) console.error('The mapping describes none of the files, so nothing was imported.');
  const verdict = verdictOf(reports);
  // The last line of the report. JSON on standard output stays one document.
  if (aborted === null && isUsed)
    for (const line of [...verdictLines(verdict, reports), ...stillWaiting(reports, args.dryRun)])
      (args.json ? console.error : console.log)(line);
  const isEmpty = !args.allowEmpty && (verdict.empty.length > 0 || verdict.isNothing);
  return aborted === null && isUsed && !isEmpty && reports.every((report) => report.error === null) ? 0 : 1;
};

try {
  process.exitCode = await main(process.env, process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ImportError || error instanceof ConfigError)) throw error;
  console.error(`import: ${error.message}`);
  process.exitCode = 1;
}
