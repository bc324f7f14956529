/** What a subscriber should know before the first event, in Markdown. */
export const description = `
Every change of an export is an event. Any internal process whose NATS user has the permission can read these events,
starting with the first one.

**Events.** \`type\` says what happened, \`data\` has the new values, and \`state\` is the complete export after the event, so
you need no further request. \`id\` identifies the command that caused the event. \`time\` is in Unix microseconds. Events
contain no personal data.

**Reading.** The stream \`EVT_EXPORT\` stores all events permanently. Create your own durable pull consumer on
\`evt.export.>\`, and acknowledge an event after you have stored its effect. Each event is then delivered at least once,
even after a crash. Use the stream sequence to detect a repeated delivery and to order events, of one export or of all.
\`test/subscriber\` in the repository is an example to copy: it misses no event and processes none twice.

**Order.** \`ExportRequested\` is followed by one of \`ExportReady\`, \`ExportFailed\` and \`ExportCancelled\`. \`ExportReady\`
repeats with a different \`file\` if a lost file was prepared again. \`ExportAbandoned\` is the only event of an export that
was never recorded.

**Changes.** New fields and new event types can be added, so ignore those that you do not know. Existing fields keep
their meaning. Otherwise \`version\` changes.
`.trim();
