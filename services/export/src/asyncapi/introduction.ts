/** What a subscriber needs to know before the first event, in Markdown. */
export const description = `
The events of exports are public inside the company. Any process with a NATS user that has the right can follow them, from
the first event on.

**Event.** \`type\` is what happened, \`data\` is what is new, and \`state\` is the whole export after the event, so you need no
other request. \`id\` is the id of the command that caused the event; a repeated command appends no second event. \`time\` is in Unix microseconds. Events contain no personal data.

**Connect.** JetStream answers the login \`<user>-streams\` of your NATS user, with the inbox prefix \`_INBOX.<user>\`. The login
\`<user>\` is only for calls.

**Read events.** The stream \`EVT_EXPORT\` stores every event forever. Create your own durable pull consumer on \`evt.export.>\`.
Acknowledge an event after its effect is durable. You then receive each event at least once, even if a process or server
crashes. The sequence of the stream identifies repeated events, and it is the order of the events of one export and of all
exports. \`examples/subscriber\` in the repository is an example to copy. It loses and repeats nothing.

**Order of events.** An export starts with \`ExportRequested\` and ends with \`ExportReady\`, \`ExportFailed\` or
\`ExportCancelled\`. A second \`ExportReady\` with another \`file\` follows when a lost file was prepared again. \`ExportAbandoned\`
is the only event of an export that was never recorded.

**Changes.** New releases can add fields and types of events. Ignore those that you do not know. Existing fields keep their
meaning, or \`version\` changes.
`.trim();
