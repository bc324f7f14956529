import Papa from 'papaparse';
import { ImportError } from '../errors.js';
import { plainBlock } from './csv-cells.js';
import { headerAgain, type HeaderLine, headerLines, type HeaderLines, otherHeader } from './csv-header.js';
import { recordCharsMax, type BrokenRow, type RowBlock, type Source } from './source.js';

interface Parsed {
  readonly data: string[][];
  readonly errors: readonly { readonly row?: number; readonly message: string }[];
  /** Characters consumed. The next record begins after them. */
  readonly taken: number;
}

const delimiters = [',', '\t', ';', '|'] as const;

/** CSV with Papa Parse's row parser (248,000 rows/s on quotes of 93 MB; csv-parse 7: 62,000), block by block. */
export const openCsv = async (path: string, text: AsyncGenerator<string, void, undefined>): Promise<Source> => {
  const reader = await headerOf(path, text);
  return {
    format: 'csv',
    numbering: 'line',
    columns: reader.columns,
    findCell: (column) => {
      const cell = reader.columns.indexOf(column);
      if (cell >= 0 && reader.columns.includes(column, cell + 1))
        throw new ImportError(`${path}: the file has two columns with the name ${column}. Rename one.`);
      return cell < 0 ? null : cell;
    },
    blocks: (asCells = false) => rowBlocks(path, reader, { text, asCells }),
    hasCells: true,
  };
};

/** `fault`: what ends the reading after the rows of this block. */
export interface CsvBlock extends RowBlock {
  readonly fault?: { readonly is: 'otherHeader' | 'noEnd'; readonly line: number };
}

interface Header {
  readonly columns: readonly string[];
  readonly delimiter: string;
  /** What follows the header in the blocks read so far. */
  readonly rest: string;
  readonly line: number;
}

const headerOf = async (path: string, text: AsyncGenerator<string, void, undefined>): Promise<Header> => {
  let head = '';
  let ended = false;
  while (!ended) {
    const next = await text.next();
    if (next.done === true) ended = true;
    else head += next.value;
    // Excel reads and writes a first line `sep=;`.
    const blank = /^(?:sep=.[ \t\r]*\n)?(?:[ \t\r]*\n)*/i.exec(head)?.[0] ?? '';
    const firstLine = head.slice(blank.length).split('\n', 1)[0] ?? '';
    if (/^[^"]*\r[^\r\n]/.test(firstLine))
      throw new ImportError(
        `${path}: the lines end with CR alone. Write it again with LF or CRLF, for example with tr '\\r' '\\n'`,
      );
    const delimiter = delimiters.toSorted((a, b) => count(firstLine, b) - count(firstLine, a))[0] ?? ',';
    const parsed = parse(head.slice(blank.length), delimiter, !ended);
    const columns = parsed.data[0];
    if (columns) {
      const taken = blank.length + headerChars(head.slice(blank.length), delimiter);
      const line = 1 + count(head.slice(0, taken), '\n');
      return { columns: columns.map((name) => name.trim()), delimiter, rest: head.slice(taken), line };
    }
    if (head.length > recordCharsMax) break;
  }
  throw new ImportError(`${path}: the file is not CSV: it has no header line`);
};

/** Length of the first record with its line break: the shortest run of lines that parses as one record. */
const headerChars = (text: string, delimiter: string): number => {
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1))
    if (parse(text.slice(0, end + 1), delimiter, true).data.length === 1) return end + 1;
  return text.length;
};

const count = (text: string, part: string): number => text.split(part).length - 1;

async function* rowBlocks(
  path: string,
  header: Header,
  { text, asCells }: { readonly text: AsyncIterable<string>; readonly asCells: boolean },
): AsyncGenerator<RowBlock, void, undefined> {
  const columnCount = header.columns.length;
  const headers = headerLines(header.columns);
  let { rest, line } = header;
  const blockOf = (input: string, unfinished: boolean): CsvBlock => {
    const parsed = parse(input, header.delimiter, unfinished);
    const block = checkedRows(parsed, { columnCount, line, headers, quoted: input.includes('"') });
    rest = input.slice(parsed.taken);
    line = block.nextLine;
    return block;
  };
  /** Null if a cell needs the parser. */
  const plainOf = (input: string): CsvBlock | null => {
    if (!asCells) return null;
    const end = input.lastIndexOf('\n') + 1;
    const block = plainBlock({ text: input, end, delimiter: header.delimiter, columnCount, line, headers });
    if (block === null) return null;
    rest = input.slice(end);
    line = block.nextLine;
    return block;
  };
  const check = ({ fault }: CsvBlock): void => {
    if (fault?.is === 'otherHeader') throw otherHeader(path, fault.line);
    if (fault?.is === 'noEnd' || rest.length > recordCharsMax)
      throw new ImportError(
        `${path}: the record at line ${fault?.line ?? line} has no end. Check for a missing quote, and that the file is CSV.`,
      );
  };
  for await (const chunk of text) {
    const input = rest + chunk;
    const block = plainOf(input) ?? blockOf(input, true);
    yield block;
    check(block);
  }
  if (rest === '') return;
  const block = plainOf(rest.endsWith('\n') ? rest : `${rest}\n`) ?? blockOf(rest, false);
  yield block;
  check(block);
}

const parse = (text: string, delimiter: string, unfinished: boolean): Parsed => {
  // `checkedRows` removes the `\r` of `\r\n`, so that files with mixed line ends work.
  const parser = new Papa.Parser({ delimiter, newline: '\n' });
  // Papa types this call as `any`. The result has the shape of all its results.
  const result = parser.parse(text, 0, unfinished) as Papa.ParseResult<string[]>;
  const errors = result.errors.map(({ row, message }) => (row === undefined ? { message } : { row, message }));
  return { data: result.data, errors, taken: result.meta.cursor };
};

/** A missing quote at the end of a file makes its last lines one record. */
const unterminated = 'Quoted field unterminated';

interface RowsAt {
  readonly columnCount: number;
  readonly line: number;
  readonly headers: HeaderLines;
  readonly quoted: boolean;
}

const checkedRows = (parsed: Parsed, at: RowsAt): CsvBlock & { nextLine: number } => {
  const faulty = new Map(parsed.errors.map((error) => [error.row, error.message]));
  const rows: string[][] = [];
  const lines: number[] = [];
  const broken: BrokenRow[] = [];
  let line = at.line;
  let fault: CsvBlock['fault'];
  for (const [index, row] of parsed.data.entries()) {
    const last = row.length - 1;
    const end = row[last];
    if (end?.endsWith('\r') === true) row[last] = end.slice(0, -1);
    const reason = faulty.size > 0 ? faulty.get(index) : undefined;
    const header = row.length === at.columnCount ? headerOfRow(row, at.headers) : null;
    if (header === 'other') fault = { is: 'otherHeader', line };
    if (reason === unterminated) fault = { is: 'noEnd', line };
    if (fault) break;
    if (header === 'again') broken.push({ line, reason: headerAgain, text: row.join(',') });
    else if (reason !== undefined) broken.push({ line, reason: `not CSV: ${reason}`, text: row.join(',') });
    else if (row.length === at.columnCount) {
      rows.push(row);
      lines.push(line);
    } else if (row.length > 1 || row[0] !== '')
      broken.push({ line, reason: 'the number of columns differs from the header', text: row.join(',') });
    line += 1;
    if (at.quoted) for (const cell of row) line += cell.includes('\n') ? count(cell, '\n') : 0;
  }
  return { rows, lineOf: (row) => lines[row] ?? at.line, broken, nextLine: line, ...(fault && { fault }) };
};

const headerOfRow = (row: readonly string[], { canBegin, kindOf }: HeaderLines): HeaderLine =>
  canBegin((row[0] ?? '').charCodeAt(0)) || canBegin((row.at(-1) ?? '').charCodeAt(0)) ? kindOf(row) : null;
