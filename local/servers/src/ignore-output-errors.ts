/** Without a listener, a line that cannot be written, to a full disk or a closed pipe, ends the process. */
export const ignoreOutputErrors = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
};
