const begin = /^( *)(?:#|<!--) Made from libs\/contracts\/src\/services\.ts: ([\w ]+?)(?: -->)?\n/gm;

/**
 * A file that people write, with the lists of services made between `# Made from libs/contracts/src/services.ts: <name>` and
 * the next `# End`. Each region has to be there.
 */
export const withRegions = (
  path: string,
  text: string,
  regions: Readonly<Record<string, readonly string[]>>,
): string => {
  const missing = new Set(Object.keys(regions));
  let made = '';
  let end = 0;
  for (const { 0: line, 1: indent = '', 2: name = '', index } of text.matchAll(begin)) {
    const lines = regions[name];
    if (lines === undefined) throw new Error(`${path} has an unknown region: ${name}`);
    missing.delete(name);
    const isMarkdown = line.startsWith('<');
    const rest = text.indexOf(isMarkdown ? '<!-- End -->' : `${indent}# End\n`, index);
    if (rest === -1) throw new Error(`${path} has no end of the region ${name}`);
    made +=
      text.slice(end, index + line.length) + lines.map((one) => (one === '' ? '\n' : `${indent}${one}\n`)).join('');
    end = rest;
  }
  if (missing.size > 0) throw new Error(`${path} has no region ${[...missing].join(', ')}`);
  return made + text.slice(end);
};
