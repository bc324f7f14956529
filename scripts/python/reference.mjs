// Writes the reference of the Python client from its docstrings.

/** The sources whose public classes users meet, in the order of the page. */
const sources = [
  ['_sync/client.py', 'The client'],
  ['_sync/catalogue.py', 'Catalogue'],
  ['_sync/markets.py', 'Markets'],
  ['_sync/rows.py', 'Rows of time series'],
  ['_sync/pages.py', 'Lists'],
  ['_sync/exports.py', 'Exports'],
  ['_sync/local.py', 'Local copies'],
  ['_sync/account.py', 'Account'],
  ['_sync/webhooks.py', 'Webhooks'],
  ['_core/webhooks.py', 'Verification of deliveries'],
  ['_core/replay.py', 'Replays'],
  ['_core/progress.py', 'Progress'],
  ['errors.py', 'Errors'],
];

const indentOf = (line) => line.length - line.trimStart().length;

/** The docstring that begins at this line, as one paragraph. Undefined without one. */
const docAt = (lines, at) => {
  const first = (lines[at] ?? '').trim();
  if (!first.startsWith('"""')) return undefined;
  if (first.length > 5 && first.endsWith('"""')) return first.slice(3, -3);
  const end = lines.findIndex((line, index) => index > at && line.trim().endsWith('"""'));
  const text = [first.slice(3), ...lines.slice(at + 1, end), lines[end].trim().slice(0, -3)];
  return text
    .map((line) => line.trim())
    .join('\n')
    .trim();
};

/** A definition can take several lines: until the one that ends with a colon at its own indent. */
const definitionAt = (lines, at) => {
  const end = lines.findIndex(
    (line, index) => index >= at && line.endsWith(':') && indentOf(line) === indentOf(lines[at]),
  );
  const text = lines
    .slice(at, end + 1)
    .map((line) => line.trim())
    .join(' ');
  const signature = text
    .replace(/:$/, '')
    .replaceAll(/\( /g, '(')
    .replaceAll(/,? \)/g, ')')
    .replace('self, ', '')
    .replace('(self)', '()');
  return {
    signature: signature.replace(/^def /, ''),
    doc: docAt(lines, end + 1),
    isProperty: lines[at - 1]?.trim() === '@property',
  };
};

const entriesOf = (text) => {
  const lines = text.split('\n');
  let isPublic = false;
  return lines.flatMap((line, at) => {
    const [, name] = /^class (\w+)/.exec(line) ?? [];
    if (name !== undefined) {
      isPublic = !name.startsWith('_');
      const { doc } = definitionAt(lines, at);
      return isPublic && doc !== undefined ? [`### ${name}\n\n${doc}\n`] : isPublic ? [`### ${name}\n`] : [];
    }
    if (/^\S/.test(line) && !line.startsWith('@')) isPublic = /^def [a-z]/.test(line) ? false : isPublic;
    if (!isPublic || !/^ {4}def [a-z]/.test(line)) return [];
    const { signature, doc, isProperty } = definitionAt(lines, at);
    const shown = isProperty ? signature.replace('()', '') : signature;
    return doc === undefined ? [] : [`\`${shown}\`\n\n${doc}\n`];
  });
};

/** `read` returns the text of a source. */
export const referenceText = (read) => {
  const parts = sources.map(([file, title]) => {
    const entries = entriesOf(read(file));
    return `## ${title}\n\n${entries.join('\n')}`;
  });
  return `<!-- Made by \`npm run docs:make\` from the docstrings of clients/python; do not edit. -->

# Reference of the Python client

This page shows the synchronous client. \`AsyncAlmanac\` has the same methods, with \`await\` and \`async for\`. The fields of the returned dataclasses
are those of the [OpenAPI document](../../docs/openapi.json), with a docstring each.

${parts.join('\n')}`;
};
