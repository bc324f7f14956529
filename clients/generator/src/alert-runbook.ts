/** The sections of `docs/runbooks/alerts.md` for the operator's page of the console, whose images have no documents. */
export const alertRunbook = (markdown: string): string => {
  const sections = markdown
    .split(/^## /m)
    .slice(1)
    .map((section): readonly [string, string] => {
      const end = section.indexOf('\n');
      return [section.slice(0, end).trim(), withoutLinks(section.slice(end).trim())];
    });
  const lines = sections.map(([name, text]) => `  ${name}: ${quoted(text)},\n`);
  return `${heading}export const alertRunbook: Readonly<Partial<Record<string, string>>> = {\n${lines.join('')}};\n`;
};

const heading =
  '// Made by `npm run docs:make` from docs/runbooks/alerts.md; do not edit.\n\n/** What to do about each alert, as Markdown without links. */\n';

/** A link to another section is its name, and one to another document names its file. */
const withoutLinks = (text: string): string =>
  text.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_link, name: string, target: string) =>
    target.startsWith('#') ? name : `${name} (\`docs/${inDocs(target)}\`)`,
  );

const inDocs = (target: string): string => new URL(target, 'file:///runbooks/').pathname.slice(1);

const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
