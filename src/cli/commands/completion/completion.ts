/** `rowsmith completion`: prints the script with which a shell completes command lines. */
import { defineCommand } from '../../command.js';
import { completionScripts } from './scripts.js';

/** The command. */
export const command = defineCommand({
  usage: '(bash | zsh | fish)',
  about: `Prints a script that completes commands, options, names of the project and files. Add its line to
~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish:

  source <(rowsmith completion bash)
  source <(rowsmith completion zsh)
  rowsmith completion fish | source

The names come from the config of the project, which is executed only if no other user can change it.`,
  actions: ['bash', 'zsh', 'fish'],
  examples: [
    ['completion bash', 'the script for bash'],
    ['completion fish', 'the script for fish'],
  ],
  json: '{ shell: string, script: string }',
  run({ action: shell }, { terminal }) {
    const script = completionScripts[shell];
    terminal.printJson({ shell, script });
    if (!terminal.json) terminal.write(script);
    return Promise.resolve(undefined);
  },
});
