import type { CommandSpec, Result } from '../command.js';

const shells = ['bash', 'zsh', 'fish'];

const completion: CommandSpec = {
  name: 'completion',
  summary: 'Print the completion script of a shell',
  args: [{ name: 'SHELL', choices: shells }],
  options: {},
  examples: [
    'source <(almanac-data completion bash)    # in ~/.bashrc',
    'source <(almanac-data completion zsh)     # in ~/.zshrc, after compinit',
    'almanac-data completion fish | source     # in ~/.config/fish/config.fish',
  ],
  run: async ({ args }): Promise<Result> => {
    const lines = await scriptOf(args[0] ?? '');
    return { json: [JSON.stringify({ script: lines.join('\n') })], items: [], lines };
  },
};

/** Loaded late, because the scripts are made from the table that contains this command. */
const scriptOf = async (shell: string): Promise<string[]> => {
  if (shell === 'zsh') return (await import('../completion/zsh.js')).zshCompletion();
  if (shell === 'fish') return (await import('../completion/fish.js')).fishCompletion();
  return (await import('../completion/bash.js')).bashCompletion();
};

export const completionCommands: readonly CommandSpec[] = [completion];
