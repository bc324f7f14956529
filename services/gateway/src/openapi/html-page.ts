export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Prose with its code in backticks, and its links relative to `/docs`. Pages are two levels below it. */
export const htmlText = (text: string): string =>
  escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\(([\w/.-]+)\)/g, '<a href="../../$2">$1</a>');

/** A page so many levels below the root. Its addresses are relative, because a proxy may serve everything under a path. */
export const htmlPage = (title: string, level: number, body: readonly string[]): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<link rel="stylesheet" href="${'../'.repeat(level)}docs/page.css">`,
    `<title>${escaped(title)}</title></head>`,
    '<body>',
    '<main>',
    ...body,
    '</main>',
    '</body>',
    '</html>\n',
  ].join('\n');

/** The colours of the console, in both themes, for pages that need no script. */
export const pageStyle = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f7f9, #0e1116);
  --surface: light-dark(#ffffff, #151a21);
  --line: light-dark(#dde1e8, #272e3a);
  --text: light-dark(#161b26, #e6eaf1);
  --soft: light-dark(#4a5366, #b0b9c8);
  --accent: light-dark(#1f4bd8, #84a4ff);
}
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 76ch; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 22px; }
h2 { margin-top: 28px; font-size: 16px; }
a { color: var(--accent); }
code, pre { font-family: ui-monospace, Menlo, 'DejaVu Sans Mono', monospace; font-size: 13px; overflow-wrap: anywhere; }
pre { padding: 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); white-space: pre-wrap; }
li { margin: 4px 0; }
`;
