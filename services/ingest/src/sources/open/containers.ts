import { ImportError } from '../../errors.js';
import { tablesIn } from '../tables/sqlite.js';
import type { Content, Step } from '../packed/content.js';
import { notSupported } from '../packed/content-kind.js';
import { spooled } from '../packed/spool.js';
import { tarFiles } from '../packed/tar.js';
import { layersMax, unpacked, type Unpacked } from '../packed/unpack.js';
import { openZip, placeProblem } from '../packed/zip.js';

export interface ContainedFile {
  /** Below the outer file: two steps for a file in a zip in a tar. */
  readonly steps: readonly Step[];
  /** Why it cannot be read. */
  readonly problem: string | null;
}

/** A file without its compression, or a table of a SQLite database. */
export type OpenedContent = Unpacked & { readonly table: string | null };

interface ContainedContent {
  readonly step: Step;
  readonly problem: string | null;
  readonly open: () => Promise<Content>;
}

interface Container {
  /** All files, or those that have not been read yet. */
  readonly files: () => AsyncGenerator<ContainedContent, void, undefined>;
  /** Whether its files are only read in their order. */
  readonly isStream: boolean;
  /** The tables of a database, whose content every step shares. */
  readonly tables: readonly Step[] | null;
  readonly content: Content;
  readonly close: () => Promise<void>;
}

/** Opens a file that is in no container, by its name in reports. */
export type OpenFile = (name: string) => Promise<Content>;

const filesMax = 1_000_000;

/**
 * The files inside a zip, a tar or a database, or null for any other file. Containers may be in containers. Where one is cut or
 * damaged, it is the last file, with its problem.
 */
export const containedFiles = async (path: string, open: OpenFile): Promise<readonly ContainedFile[] | null> => {
  const files: ContainedFile[] = [];
  try {
    const found = await closedOnError(await open(path), unpacked);
    try {
      const container = await containerOf(found);
      if (container === null) return null;
      await list(container, [], files);
    } finally {
      await found.content.close();
    }
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    files.push({ steps: [], problem: error.message.replace(`${path}: `, '') });
  }
  return files;
};

const list = async (container: Container, above: readonly Step[], files: ContainedFile[]): Promise<void> => {
  try {
    for (const step of container.tables ?? []) files.push({ steps: [...above, step], problem: null });
    for await (const { step, problem, open } of container.files()) {
      const steps = [...above, step];
      if (files.length >= filesMax) throw new ImportError(`${container.content.name}: more than ${filesMax} files`);
      if (isHidden(step.name)) continue;
      if (problem !== null) files.push({ steps, problem });
      else await listFile(await open(), steps, files);
    }
  } finally {
    await container.close();
  }
};

/** As in folders: what the system wrote beside the files. */
const isHidden = (name: string): boolean =>
  name.split('/').some((part) => part === '__MACOSX' || (part.startsWith('.') && part !== '.' && part !== '..'));

/** A container that cannot be listed is one file with a problem. */
const listFile = async (content: Content, steps: readonly Step[], files: ContainedFile[]): Promise<void> => {
  const inside: ContainedFile[] = [];
  try {
    const found = await unpacked(content);
    try {
      if (steps.length > layersMax)
        throw new ImportError(`${content.name}: more than ${layersMax} containers in each other`);
      const container = await containerOf(found);
      if (container === null) inside.push({ steps, problem: null });
      else await list(container, steps, inside);
    } finally {
      await found.content.close();
    }
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    inside.push({ steps, problem: error.message.replace(`${content.name}: `, '') });
  }
  for (const file of inside) files.push(file);
};

const containerOf = async ({ content, is }: Unpacked): Promise<Container | null> => {
  if (is.kind === 'tar') return tarContainer(content);
  if (is.kind !== 'zip' && is.kind !== 'sqlite') return null;
  const seekable = (is.kind === 'zip' ? content.random : content.path) === null ? await spooled(content) : content;
  const close = async (): Promise<void> => (seekable === content ? undefined : seekable.close());
  try {
    if (is.kind === 'zip') return await zipContainer(seekable, close);
    return { files: nothing, isStream: false, tables: tablesIn(seekable), content: seekable, close };
  } catch (error) {
    await close();
    throw error;
  }
};

// eslint-disable-next-line require-yield
async function* nothing(): AsyncGenerator<ContainedContent, void, undefined> {
  await Promise.resolve();
}

const tarContainer = (content: Content): Container => {
  const files = tarFiles(content);
  let index = -1;
  async function* all(): AsyncGenerator<ContainedContent, void, undefined> {
    for (;;) {
      const next = await files.next();
      if (next.done === true) return;
      index += 1;
      const { name, content: file } = next.value;
      const step = { name: name.replace(/^(?:\.\/)+/, ''), index };
      yield { step, problem: placeProblem(name), open: () => Promise.resolve(file) };
    }
  }
  return { files: all, isStream: true, tables: null, content, close: async () => void (await files.return()) };
};

const zipContainer = async (content: Content, closeContent: () => Promise<void>): Promise<Container> => {
  const { random } = content;
  if (!random) throw new Error('a zip is read at many places');
  const zip = await openZip(content, random);
  const names = new Set(zip.entries.map(({ name }) => name));
  if (names.has('[Content_Types].xml') && names.has('xl/workbook.xml'))
    throw new ImportError(`${content.name}: ${notSupported('Excel files', 'Save the sheet as CSV')}`);
  async function* all(): AsyncGenerator<ContainedContent, void, undefined> {
    for (const [index, { name, problem, open }] of zip.entries.entries())
      yield { step: { name, index }, problem, open: () => Promise.resolve().then(open) };
    await Promise.resolve();
  }
  return {
    files: all,
    isStream: false,
    tables: null,
    content,
    close: async () => {
      zip.close();
      await closeContent();
    },
  };
};

interface Level {
  readonly path: string;
  readonly steps: readonly Step[];
  readonly container: Container;
  readonly files: AsyncGenerator<ContainedContent, void, undefined>;
  readonly closeOuter: () => Promise<void>;
}

/**
 * Opens files by their place in containers. It keeps the container that was read last open, so that the files of a compressed tar
 * are read in one pass if they are requested in their order. One file is open at a time.
 */
export class OpenContainers {
  #levels: Level[] = [];

  constructor(private readonly openFile: OpenFile) {}

  async open(path: string, steps: readonly Step[]): Promise<OpenedContent> {
    if (this.#levels[0]?.path !== path || steps.length === 0) await this.close();
    const last = steps.at(-1);
    if (last !== undefined) {
      const { container } = await this.#levelAt(path, steps.slice(0, -1));
      if (container.tables !== null) {
        const content = {
          ...container.content,
          name: `${container.content.name}/${last.name}`,
          close: () => Promise.resolve(),
        };
        return { content, is: { kind: 'sqlite' }, head: Buffer.alloc(0), table: last.name };
      }
    }
    return { ...(await closedOnError(await this.#contentAt(path, steps), unpacked)), table: null };
  }

  async close(): Promise<void> {
    await this.#closeFrom(0);
  }

  async #closeFrom(level: number): Promise<void> {
    for (const { files, container, closeOuter } of this.#levels.splice(level).toReversed()) {
      await files.return();
      await container.close();
      await closeOuter();
    }
  }

  /** The container that the steps lead to. */
  async #levelAt(path: string, steps: readonly Step[]): Promise<Level> {
    const open = this.#levels[steps.length];
    if (open && open.path === path && open.steps.every(({ index }, at) => index === steps[at]?.index)) return open;
    await this.#closeFrom(steps.length);
    const found = await closedOnError(await this.#contentAt(path, steps), unpacked);
    const container = await closedOnError(found.content, () => containerOf(found));
    if (container === null) throw new ImportError(`${found.content.name}: the file changed since it was listed`);
    const level = { path, steps, container, files: container.files(), closeOuter: () => found.content.close() };
    this.#levels[steps.length] = level;
    return level;
  }

  async #contentAt(path: string, steps: readonly Step[]): Promise<Content> {
    const step = steps.at(-1);
    if (step === undefined) return this.openFile(path);
    const above = steps.slice(0, -1);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const level = await this.#levelAt(path, above);
      await this.#closeFrom(steps.length);
      // A zip has its files in memory. A tar goes on from the file that was read last.
      const files = level.container.isStream ? level.files : level.container.files();
      const found = await contentOf(files, step).catch((error: unknown) => {
        // The end of a cut tar, perhaps behind the file.
        if (attempt === 1 && error instanceof ImportError) return null;
        throw error;
      });
      if (found !== null) return found;
      // The file is before the place of the tar, which is read again from its start.
      await this.#closeFrom(above.length);
    }
    throw new ImportError(`${path}/${steps.map(({ name }) => name).join('/')}: the file changed since it was listed`);
  }
}

/** The content of a file, null if it is not among the files to come. */
const contentOf = async (
  files: AsyncGenerator<ContainedContent, void, undefined>,
  step: Step,
): Promise<Content | null> => {
  for (let next = await files.next(); next.done !== true; next = await files.next()) {
    const { step: found, open } = next.value;
    if (found.index === step.index && found.name === step.name) return open();
    if (found.index > step.index) break;
  }
  return null;
};

const closedOnError = async <T>(content: Content, work: (content: Content) => Promise<T>): Promise<T> => {
  try {
    return await work(content);
  } catch (error) {
    await content.close();
    throw error;
  }
};
