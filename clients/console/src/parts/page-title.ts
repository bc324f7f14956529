let title = 'Almanac';
let fired = 0;

const write = (): void => {
  document.title = fired === 0 ? title : `(${fired}) ${title}`;
};

/** The title of the browser's tab: that of the screen. */
export const setPageTitle = (next: string): void => {
  title = next;
  write();
};

/** How many alerts have fired that nobody has closed, before the title of the screen. */
export const setFiredCount = (count: number): void => {
  if (count === fired) return;
  fired = count;
  write();
};
