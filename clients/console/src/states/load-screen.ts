import { offlineEvent, serverAnswers, whileAnswered } from '../api/server-answers.js';

const pollMs = 1_000;
const reloadedName = 'almanac-reloaded';

/**
 * Loads the file of a screen. While the server is away, it waits. A file that the server no longer has is one of an older
 * release: then the page is loaded again, once.
 */
export const loadScreen = async <Module>(load: () => Promise<Module>): Promise<Module> => {
  try {
    const loaded = await whileAnswered(load());
    sessionStorage.removeItem(reloadedName);
    return loaded;
  } catch (error) {
    if (!(await serverAnswers())) {
      window.dispatchEvent(new Event(offlineEvent));
      await untilAnswered();
    } else if (sessionStorage.getItem(reloadedName) !== null) throw error;
    // The browser remembers the failure of this file, so the same import would fail again.
    sessionStorage.setItem(reloadedName, 'yes');
    location.reload();
    return new Promise<Module>(() => undefined);
  }
};

const untilAnswered = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setInterval(() => {
      void serverAnswers().then((answers) => {
        if (!answers) return;
        clearInterval(timer);
        resolve();
      });
    }, pollMs);
  });
