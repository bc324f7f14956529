/** What a subscriber needs to know before the first event, in Markdown. */
export const description = `
What happens to exports is public inside the company: whoever has a NATS user with the right may follow it, from the
first event on.

**An event** is a fact: \`type\` says what happened, \`data\` what is new, \`state\` the whole export after it, so nothing
else has to be asked. \`id\` names the event, \`time\` is microseconds since the epoch. Nothing about a person is in it.

**Reading.** The stream \`EVT_EXPORT\` keeps every event for good. Make a durable pull consumer of your own on
\`evt.export.>\`, and acknowledge an event when its effect is durable: it then comes at least once, whatever dies. The
stream's sequence tells one that comes again, and the order, of all exports and of one. \`test/subscriber\` in the
repository is a subscriber to copy, which misses and repeats nothing.

**Course.** \`ExportRequested\`, and then one of \`ExportReady\`, \`ExportFailed\` and \`ExportCancelled\`; \`ExportReady\` may
come again with other facts, when a file that was lost was prepared anew. \`ExportAbandoned\` stands alone, for an export
that was never recorded.

**Changes.** Fields and types of events may be added; pass over those that you do not know. What is there keeps its
meaning, or \`version\` changes.
`.trim();
